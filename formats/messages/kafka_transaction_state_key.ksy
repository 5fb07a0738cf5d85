meta:
  id: kafka_transaction_state_key
  title: Apache Kafka key in __transaction_state
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_transaction_log_key
  endian: be
doc: Key of a record in `__transaction_state`, by the type that it begins with.
doc-ref: https://cwiki.apache.org/confluence/display/KAFKA/KIP-98+-+Exactly+Once+Delivery+and+Transactional+Messaging KIP-98
seq:
  - id: type
    type: s2
    enum: record_type
    doc: What the record is about, and with it the layout of the rest and of the value
  - id: message
    size-eos: true
    type:
      switch-on: type
      cases:
        'record_type::transaction_log': kafka_transaction_log_key
    doc: The message; bytes if it is not known
enums:
  record_type:
    0:
      id: transaction_log
      doc: A `kafka_transaction_log_key`
