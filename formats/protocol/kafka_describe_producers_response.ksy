meta:
  id: kafka_describe_producers_response
  -orig-id: DescribeProducersResponse
  -versions: 0-0
  title: Apache Kafka describe producers response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeProducersResponse`: a response of the API with key 61, after its
  header (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeProducersResponse.json DescribeProducersResponse
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the header of the request
seq:
  - id: throttle_time_ms
    -orig-id: ThrottleTimeMs
    type: s4
    doc: |
      How long the client must wait with its next request because of a quota, in
      ms
  - id: num_topics
    type: kafka_array_length(true, false)
    doc: Number of `topics`
  - id: topics
    -orig-id: Topics
    type: topic_response
    repeat: expr
    repeat-expr: num_topics.value
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topic_response:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: num_partitions
        type: kafka_array_length(true, false)
        doc: Number of `partitions`
      - id: partitions
        -orig-id: Partitions
        type: partition_response
        repeat: expr
        repeat-expr: num_partitions.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  partition_response:
    seq:
      - id: partition_index
        -orig-id: PartitionIndex
        type: s4
        doc: Number of the partition
      - id: error_code
        -orig-id: ErrorCode
        type: s2
        doc: Number of an error in Kafka's `Errors`, 0 for none
      - id: error_message
        -orig-id: ErrorMessage
        type: kafka_string(true, true)
        doc: Text of the error
      - id: num_active_producers
        type: kafka_array_length(true, false)
        doc: Number of `active_producers`
      - id: active_producers
        -orig-id: ActiveProducers
        type: producer_state
        repeat: expr
        repeat-expr: num_active_producers.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  producer_state:
    seq:
      - id: producer_id
        -orig-id: ProducerId
        type: s8
        doc: Id that the broker has given the producer
      - id: producer_epoch
        -orig-id: ProducerEpoch
        type: s4
        doc: Epoch of the producer, higher than those of its predecessors
      - id: last_sequence
        -orig-id: LastSequence
        type: s4
      - id: last_timestamp
        -orig-id: LastTimestamp
        type: s8
      - id: coordinator_epoch
        -orig-id: CoordinatorEpoch
        type: s4
      - id: current_txn_start_offset
        -orig-id: CurrentTxnStartOffset
        type: s8
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
