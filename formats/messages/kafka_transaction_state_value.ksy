meta:
  id: kafka_transaction_state_value
  title: Apache Kafka value in __transaction_state
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_transaction_log_value
  endian: be
doc: |
  Value of a record in `__transaction_state` whose key is a
  `kafka_transaction_state_key`.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
params:
  - id: key_type
    type: s2
    enum: record_type
    doc: Type of the record, which its key tells
seq:
  - id: message
    size-eos: true
    type:
      switch-on: key_type
      cases:
        'record_type::transaction_log': kafka_transaction_log_value
    doc: The message, which begins with its version; bytes if it is not known
enums:
  record_type:
    0:
      id: transaction_log
      doc: A `kafka_transaction_log_value`
