meta:
  id: kafka_transaction_log_key
  -orig-id: TransactionLogKey
  -versions: 0-0
  title: Apache Kafka transaction log key
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
  endian: be
doc: Key of a transactional id.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogKey.json TransactionLogKey
-webide-representation: '{transactional_id}'
seq:
  - id: transactional_id
    -orig-id: TransactionalId
    type: kafka_string(false, false)
    doc: The producer's `transactional.id`
