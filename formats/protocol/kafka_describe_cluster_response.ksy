meta:
  id: kafka_describe_cluster_response
  -orig-id: DescribeClusterResponse
  -versions: 0-2
  title: Apache Kafka describe cluster response
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_array_length
    - kafka_boolean
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `DescribeClusterResponse`: a response of the API with key 60, after its header
  (see `kafka_response`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/DescribeClusterResponse.json DescribeClusterResponse
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
  - id: error_code
    -orig-id: ErrorCode
    type: s2
    doc: Number of an error in Kafka's `Errors`, 0 for none
  - id: error_message
    -orig-id: ErrorMessage
    type: kafka_string(true, true)
    doc: Text of the error
  - id: endpoint_type
    -orig-id: EndpointType
    type: s1
    if: message_version >= 1
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, false)
    doc: Id of the cluster
  - id: controller_id
    -orig-id: ControllerId
    type: s4
    doc: The controller's `node.id`
  - id: num_brokers
    type: kafka_array_length(true, false)
    doc: Number of `brokers`
  - id: brokers
    -orig-id: Brokers
    type: describe_cluster_broker
    repeat: expr
    repeat-expr: num_brokers.value
  - id: cluster_authorized_operations
    -orig-id: ClusterAuthorizedOperations
    type: s4
    doc: |
      One bit for each allowed operation, by its number in Kafka's
      `AclOperation`; -2147483648 if they were not asked for
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  describe_cluster_broker:
    seq:
      - id: broker_id
        -orig-id: BrokerId
        type: s4
        doc: The broker's `node.id`
      - id: host
        -orig-id: Host
        type: kafka_string(true, false)
        doc: Host name or IP address
      - id: port
        -orig-id: Port
        type: s4
        doc: TCP port
      - id: rack
        -orig-id: Rack
        type: kafka_string(true, true)
        doc: The `broker.rack`, if it is set
      - id: is_fenced
        -orig-id: IsFenced
        type: kafka_boolean
        if: _root.message_version >= 2
        doc: Whether the broker is fenced
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
