meta:
  id: kafka_records
  title: Apache Kafka records of one batch, decompressed
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.11'
  imports:
    - kafka_record
doc: |
  Records one after another to the end of the stream: the decompressed
  `compressed_records` of a `kafka_record_batch`. Their number must be exactly
  the batch's `num_records`.
doc-ref: https://kafka.apache.org/documentation/#recordbatch
seq:
  - id: records
    type: kafka_record
    repeat: eos
    doc: All records of the batch
