meta:
  id: kafka_transaction_log_value
  -orig-id: TransactionLogValue
  -versions: 0-1
  title: Apache Kafka transaction log value
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - log
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
    - kafka_unsigned_varint
  endian: be
doc: State of a transactional id and its transaction.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/transaction-coordinator/src/main/resources/common/message/TransactionLogValue.json TransactionLogValue
-webide-representation: 'producer {producer_id:dec}, epoch {producer_epoch:dec}'
seq:
  - id: message_version
    type: s2
    valid:
      min: 0
      max: 1
    doc: Version of this message's layout
  - id: producer_id
    -orig-id: ProducerId
    type: s8
    doc: Id of the producer, as in the headers of its batches
  - id: producer_epoch
    -orig-id: ProducerEpoch
    type: s2
    doc: Epoch of the producer; those with an older one are fenced
  - id: transaction_timeout_ms
    -orig-id: TransactionTimeoutMs
    type: s4
    doc: Time after which the broker aborts the transaction, in ms
  - id: transaction_status
    -orig-id: TransactionStatus
    type: s1
    doc: |
      0: empty; 1: ongoing; 2: to be committed; 3: to be aborted; 4: committed;
      5: aborted; 6: dead; 7: to be fenced
  - id: num_transaction_partitions
    type: kafka_array_length(message_version >= 1, true)
    doc: Number of `transaction_partitions`
  - id: transaction_partitions
    -orig-id: TransactionPartitions
    type: partitions_schema
    repeat: expr
    repeat-expr: num_transaction_partitions.value
    doc: Partitions that take part; null if there is no transaction
  - id: transaction_last_update_timestamp_ms
    -orig-id: TransactionLastUpdateTimestampMs
    type: s8
    doc: When the state was last changed, in ms since 1970-01-01 UTC
  - id: transaction_start_timestamp_ms
    -orig-id: TransactionStartTimestampMs
    type: s8
    doc: |
      When the transaction began, in ms since 1970-01-01 UTC, -1 if none has
      begun
  - id: tagged_fields
    type: tagged_fields
    if: message_version >= 1
    doc: Fields that may be missing
types:
  partitions_schema:
    doc: Partitions of a topic
    -webide-representation: '{topic}'
    seq:
      - id: topic
        -orig-id: Topic
        type: kafka_string(_root.message_version >= 1, false)
        doc: Name of the topic
      - id: num_partition_ids
        type: kafka_array_length(_root.message_version >= 1, false)
        doc: Number of `partition_ids`
      - id: partition_ids
        -orig-id: PartitionIds
        type: s4
        repeat: expr
        repeat-expr: num_partition_ids.value
        doc: Numbers of its partitions
      - id: tagged_fields
        type: kafka_tagged_fields
        if: _root.message_version >= 1
        doc: None is known
  tagged_fields:
    doc: Fields that may be missing (KIP-482)
    seq:
      - id: num_fields
        type: kafka_unsigned_varint
        doc: Number of fields. To Kafka a negative one is an error since 4.4
      - id: fields
        type: tagged_field
        repeat: expr
        repeat-expr: num_fields.value
        doc: The fields, in ascending order of their tags
  tagged_field:
    doc: A field that may be missing
    -webide-representation: 'tag {tag}'
    seq:
      - id: tag
        type: kafka_unsigned_varint
        doc: Number of the field
      - id: len_data
        type: kafka_unsigned_varint
        doc: Size of `data` in bytes
      - id: data
        size: len_data.value
        type:
          switch-on: tag.value
          cases:
            0: previous_producer_id_tag
            1: next_producer_id_tag
            3: next_producer_epoch_tag
            2: client_transaction_version_tag
        doc: The field itself, or bytes if its tag is not known
  previous_producer_id_tag:
    doc: Field of tag 0
    seq:
      - id: previous_producer_id
        -orig-id: PreviousProducerId
        -index: 1
        -versions: 1-1
        type: s8
        doc: |
          Producer id of the last committed transaction, -1 if there is none
          (KIP-890)
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  next_producer_id_tag:
    doc: Field of tag 1
    seq:
      - id: next_producer_id
        -orig-id: NextProducerId
        -index: 2
        -versions: 1-1
        type: s8
        doc: Producer id after this transaction, -1 if there is none (KIP-890)
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  next_producer_epoch_tag:
    doc: Field of tag 3
    seq:
      - id: next_producer_epoch
        -orig-id: NextProducerEpoch
        -index: 4
        -versions: 1-1
        type: s2
        doc: Epoch of `next_producer_id`
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
  client_transaction_version_tag:
    doc: Field of tag 2
    seq:
      - id: client_transaction_version
        -orig-id: ClientTransactionVersion
        -index: 10
        -versions: 1-1
        type: s2
        doc: Version of the feature `transaction.version` that the client uses
      - id: rest
        size: 0 - 1 # which no bytes have, to end with an error
        if: not _io.eof
        doc: Nothing, as the field is as large as it tells
