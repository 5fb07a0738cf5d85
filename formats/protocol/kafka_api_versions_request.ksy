meta:
  id: kafka_api_versions_request
  -orig-id: ApiVersionsRequest
  -versions: 0-5
  title: Apache Kafka api versions request
  application: Apache Kafka
  xref:
    wikidata: Q16235208 # Apache Kafka
  tags:
    - serialization
  license: Apache-2.0
  ks-version: '0.9'
  imports:
    - kafka_string
    - kafka_tagged_fields
  endian: be
doc: |
  `ApiVersionsRequest`: a request of the API with key 18, after its header (see
  `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/ApiVersionsRequest.json ApiVersionsRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: client_software_name
    -orig-id: ClientSoftwareName
    type: kafka_string(true, false)
    if: message_version >= 3
  - id: client_software_version
    -orig-id: ClientSoftwareVersion
    type: kafka_string(true, false)
    if: message_version >= 3
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, true)
    if: message_version >= 5
    doc: Id of the cluster
  - id: node_id
    -orig-id: NodeId
    type: s4
    if: message_version >= 5
    doc: The `node.id`
  - id: tagged_fields
    type: kafka_tagged_fields
    if: message_version >= 3
    doc: None is known
