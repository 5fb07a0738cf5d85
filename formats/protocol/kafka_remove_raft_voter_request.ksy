meta:
  id: kafka_remove_raft_voter_request
  -orig-id: RemoveRaftVoterRequest
  -versions: 0-0
  title: Apache Kafka remove raft voter request
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
  `RemoveRaftVoterRequest`: a request of the API with key 81, after its header
  (see `kafka_request`).
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/clients/src/main/resources/common/message/RemoveRaftVoterRequest.json RemoveRaftVoterRequest
params:
  - id: message_version
    type: s2
    doc: Version of the API, from the request's header
seq:
  - id: cluster_id
    -orig-id: ClusterId
    type: kafka_string(true, true)
    doc: Id of the cluster
  - id: voter_id
    -orig-id: VoterId
    type: s4
    doc: The voter's `node.id`
  - id: voter_directory_id
    -orig-id: VoterDirectoryId
    size: 16
    doc: Directory id of the voter
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
