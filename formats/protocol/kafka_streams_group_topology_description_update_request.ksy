meta:
  id: kafka_streams_group_topology_description_update_request
  -orig-id: StreamsGroupTopologyDescriptionUpdateRequest
  -versions: 0-0
  title: Apache Kafka streams group topology description update request
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
  `StreamsGroupTopologyDescriptionUpdateRequest`: a request of the API with key
  93, after its header (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/StreamsGroupTopologyDescriptionUpdateRequest.json StreamsGroupTopologyDescriptionUpdateRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: group_id
    -orig-id: GroupId
    type: kafka_string(true, false)
    doc: The `group.id`
  - id: member_id
    -orig-id: MemberId
    type: kafka_string(true, false)
    doc: Id of the member
  - id: topology_epoch
    -orig-id: TopologyEpoch
    type: s4
  - id: topology_description
    -orig-id: TopologyDescription
    type: topology_description
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
types:
  topology_description:
    seq:
      - id: num_subtopologies
        type: kafka_array_length(true, false)
        doc: Number of `subtopologies`
      - id: subtopologies
        -orig-id: Subtopologies
        type: topology_description_subtopology
        repeat: expr
        repeat-expr: num_subtopologies.value
      - id: num_global_stores
        type: kafka_array_length(true, false)
        doc: Number of `global_stores`
      - id: global_stores
        -orig-id: GlobalStores
        type: topology_description_global_store
        repeat: expr
        repeat-expr: num_global_stores.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_subtopology:
    seq:
      - id: subtopology_id
        -orig-id: SubtopologyId
        type: kafka_string(true, false)
      - id: num_nodes
        type: kafka_array_length(true, false)
        doc: Number of `nodes`
      - id: nodes
        -orig-id: Nodes
        type: topology_description_node
        repeat: expr
        repeat-expr: num_nodes.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_node:
    seq:
      - id: name
        -orig-id: Name
        type: kafka_string(true, false)
      - id: node_type
        -orig-id: NodeType
        type: s1
      - id: num_source_topics
        type: kafka_array_length(true, false)
        doc: Number of `source_topics`
      - id: source_topics
        -orig-id: SourceTopics
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_source_topics.value
      - id: sink_topic
        -orig-id: SinkTopic
        type: kafka_string(true, true)
      - id: num_stores
        type: kafka_array_length(true, false)
        doc: Number of `stores`
      - id: stores
        -orig-id: Stores
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_stores.value
      - id: num_successors
        type: kafka_array_length(true, false)
        doc: Number of `successors`
      - id: successors
        -orig-id: Successors
        type: kafka_string(true, false)
        repeat: expr
        repeat-expr: num_successors.value
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
  topology_description_global_store:
    seq:
      - id: source
        -orig-id: Source
        type: topology_description_node
      - id: processor
        -orig-id: Processor
        type: topology_description_node
      - id: tagged_fields
        type: kafka_tagged_fields
        doc: None is known
