meta:
  id: kafka_access_control_entry_record
  -orig-id: AccessControlEntryRecord
  -versions: 0-0
  title: Apache Kafka access control entry record
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
    - kafka_tagged_fields
  endian: be
doc: An ACL was added.
doc-ref:
  - https://github.com/apache/kafka/blob/4.4.0/metadata/src/main/resources/common/metadata/AccessControlEntryRecord.json AccessControlEntryRecord
params:
  - id: message_version
    type: s2
    doc: Version of the message, which the frame around it gives
seq:
  - id: id
    -orig-id: Id
    size: 16
    doc: UUID of the ACL
  - id: resource_type
    -orig-id: ResourceType
    type: s1
    doc: |
      2: topic; 3: group; 4: cluster; 5: transactional id; 6: delegation token;
      7: user
  - id: resource_name
    -orig-id: ResourceName
    type: kafka_string(true, false)
    doc: Name of the resource, `*` for all
  - id: pattern_type
    -orig-id: PatternType
    type: s1
    doc: |
      3: literal; 4: prefix
  - id: principal
    -orig-id: Principal
    type: kafka_string(true, false)
    doc: |
      The user that it applies to, such as `User:alice`
  - id: host
    -orig-id: Host
    type: kafka_string(true, false)
    doc: The host that it applies to, `*` for any
  - id: operation
    -orig-id: Operation
    type: s1
    doc: |
      2: all; 3: read; 4: write; 5: create; 6: delete; 7: alter; 8: describe; 9:
      cluster action; 10: describe configs; 11: alter configs; 12: idempotent
      write; 13: create tokens; 14: describe tokens; 15: two phase commit
  - id: permission_type
    -orig-id: PermissionType
    type: s1
    doc: |
      2: deny; 3: allow
  - id: tagged_fields
    type: kafka_tagged_fields
    doc: None is known
