"""What formats/ says of each type, field and value of an enumeration: see tools/regenerate."""

TYPES = {
    "AivenChunkSizes": {
        "doc": "Sizes of the chunks of a log segment in the object that Aiven's plugin has made of it (KIP-405), if chunks are compressed. It is compressed with zstd, then written as base64 into the field `transformedChunks` of a `.rsm-manifest`.\n\nAll sizes but the last are stored minus the smallest of them, in as few bytes as the largest difference needs.",
        "fields": {
            "num_chunks": {
                "type": "s4",
                "doc": "Number of chunks"
            },
            "base": {
                "type": "s4",
                "doc": "The smallest size of all chunks but the last"
            },
            "len_difference": {
                "type": "u1",
                "doc": "Size of each of `differences` in bytes"
            },
            "differences": {
                "type": "difference[]",
                "doc": "The size of each chunk but the last, minus `base`"
            },
            "last": {
                "type": "s4",
                "doc": "The size of the last chunk"
            }
        }
    },
    "AivenChunkSizes.Difference": {
        "doc": "An unsigned integer of `len_difference` bytes",
        "fields": {
            "digits": {
                "type": "u1[]",
                "doc": "Its bytes, the most significant one first"
            }
        }
    },
    "AivenCustomMetadata": {
        "doc": "The field `customMetadata` of records in `__remote_log_metadata`, as Aiven's plugin fills it if `custom.metadata.fields.include` is set. It consists of tagged fields (KIP-482) in ascending order of their tags.",
        "fields": {
            "num_fields": {
                "type": "unsigned_varint",
                "doc": "Number of fields"
            },
            "fields": {
                "type": "field[]",
                "doc": "The fields"
            }
        }
    },
    "AivenCustomMetadata.Field": {
        "doc": "One tagged field.",
        "fields": {
            "tag": {
                "type": "unsigned_varint",
                "doc": "Tag of the field, one of `field_tag`"
            },
            "len_value": {
                "type": "unsigned_varint",
                "doc": "Size of `value` in bytes"
            },
            "value": {
                "type": "text or text or varlong",
                "doc": "The value; bytes if the tag is unknown"
            }
        }
    },
    "AivenCustomMetadata.Text": {
        "doc": "`COMPACT_STRING` of the Kafka protocol",
        "fields": {
            "len_value_plus_one": {
                "type": "unsigned_varint",
                "doc": "Size of the text in bytes plus one"
            },
            "value": {
                "type": "bytes",
                "doc": "Text in UTF-8, which the plugin does not check. So this spec gives bytes"
            }
        }
    },
    "AivenCustomMetadata.UnsignedVarint": {
        "doc": "An integer in groups of 7 bits, as `kafka_unsigned_varint`",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "AivenCustomMetadata.Varlong": {
        "doc": "A signed integer in groups of 7 bits, as `kafka_varlong`",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            },
            "b5": {
                "type": "u1",
                "doc": ""
            },
            "b6": {
                "type": "u1",
                "doc": ""
            },
            "b7": {
                "type": "u1",
                "doc": ""
            },
            "b8": {
                "type": "u1",
                "doc": ""
            },
            "b9": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaAbortTransactionRecord": {
        "doc": "Abort of a transaction of metadata (KIP-868). The records since the `kafka_begin_transaction_record` do not count.",
        "fields": {
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaAbortTransactionRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaAbortTransactionRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "reason_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaAbortTransactionRecord.ReasonTag": {
        "doc": "Field of tag 0",
        "fields": {
            "reason": {
                "type": "kafka_string",
                "doc": "The reason, if the controller gave one"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaAccessControlEntryRecord": {
        "doc": "An ACL was added.",
        "fields": {
            "id": {
                "type": "bytes",
                "doc": "UUID of the ACL"
            },
            "resource_type": {
                "type": "s1",
                "doc": "2: topic; 3: group; 4: cluster; 5: transactional id; 6: delegation token; 7: user"
            },
            "resource_name": {
                "type": "kafka_string",
                "doc": "Name of the resource, `*` for all"
            },
            "pattern_type": {
                "type": "s1",
                "doc": "3: literal; 4: prefix"
            },
            "principal": {
                "type": "kafka_string",
                "doc": "The user that it applies to, such as `User:alice`"
            },
            "host": {
                "type": "kafka_string",
                "doc": "The host that it applies to, `*` for any"
            },
            "operation": {
                "type": "s1",
                "doc": "2: all; 3: read; 4: write; 5: create; 6: delete; 7: alter; 8: describe; 9: cluster action; 10: describe configs; 11: alter configs; 12: idempotent write; 13: create tokens; 14: describe tokens; 15: two phase commit"
            },
            "permission_type": {
                "type": "s1",
                "doc": "2: deny; 3: allow"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaArrayLength": {
        "doc": "Number of elements in front of an `ARRAY` of the Kafka protocol, or, in those versions of a message that have tagged fields, of a `COMPACT_ARRAY` (KIP-482). No element takes less than a byte, so a number greater than that of the bytes behind it is an error, before anything is made of it.",
        "fields": {
            "num_elements_int32": {
                "type": "s4",
                "doc": "Number of elements, below zero for null"
            },
            "num_elements_plus_one": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of elements and one more, so 1 for none; 0 for null"
            },
            "none": {
                "type": "bytes",
                "doc": "Nothing, as there are bytes for all elements"
            }
        }
    },
    "KafkaBeginTransactionRecord": {
        "doc": "Beginning of a transaction of metadata (KIP-868), whose records count once a `kafka_end_transaction_record` follows.",
        "fields": {
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaBeginTransactionRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaBeginTransactionRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "name_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaBeginTransactionRecord.NameTag": {
        "doc": "Field of tag 0",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Its purpose, if the controller gave one"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaBoolean": {
        "doc": "`BOOLEAN` of the Kafka protocol: a byte, false if it is 0, else true.",
        "fields": {
            "flag": {
                "type": "s1",
                "doc": "0 for false, anything else for true"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord": {
        "doc": "Change of a registered broker. Fields that did not change are left out.",
        "fields": {
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "broker_epoch": {
                "type": "s8",
                "doc": "Epoch of the broker's registration"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "cordoned_log_dirs_tag or fenced_tag or in_controlled_shutdown_tag or log_dirs_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.FencedTag": {
        "doc": "Field of tag 0",
        "fields": {
            "fenced": {
                "type": "s1",
                "doc": "1: fenced; -1: unfenced; 0: no change"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.InControlledShutdownTag": {
        "doc": "Field of tag 1",
        "fields": {
            "in_controlled_shutdown": {
                "type": "s1",
                "doc": "1: the broker is shutting down; 0: no change"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.LogDirsTag": {
        "doc": "Field of tag 2",
        "fields": {
            "num_log_dirs": {
                "type": "kafka_array_length",
                "doc": "Number of `log_dirs`"
            },
            "log_dirs": {
                "type": "bytes[]",
                "doc": "Directory ids of all log directories that are online"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaBrokerRegistrationChangeRecord.CordonedLogDirsTag": {
        "doc": "Field of tag 3",
        "fields": {
            "num_cordoned_log_dirs": {
                "type": "kafka_array_length",
                "doc": "Number of `cordoned_log_dirs`"
            },
            "cordoned_log_dirs": {
                "type": "bytes[]",
                "doc": "Directory ids of log directories that get no new partitions"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaBytes": {
        "doc": "`BYTES` or `NULLABLE_BYTES` of the Kafka protocol, or, in those versions of a message that have tagged fields, `COMPACT_BYTES` or `COMPACT_NULLABLE_BYTES` (KIP-482).",
        "fields": {
            "len_value_int32": {
                "type": "s4",
                "doc": "Size in bytes, below zero for null"
            },
            "len_value_plus_one": {
                "type": "kafka_unsigned_varint",
                "doc": "Size in bytes and one more, so 1 for none; 0 for null"
            },
            "value": {
                "type": "bytes",
                "doc": "What the message's schema tells. Missing if null"
            }
        }
    },
    "KafkaClearElrRecord": {
        "doc": "The eligible leader replicas were cleared (KIP-966).",
        "fields": {
            "topic_name": {
                "type": "kafka_string",
                "doc": "Name of the topic; empty for all"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaClientQuotaRecord": {
        "doc": "A quota was set or removed.",
        "fields": {
            "num_entity": {
                "type": "kafka_array_length",
                "doc": "Number of `entity`"
            },
            "entity": {
                "type": "entity_data[]",
                "doc": "What it applies to; a user and a client id may be combined"
            },
            "key": {
                "type": "kafka_string",
                "doc": "Name of the quota, such as `producer_byte_rate`"
            },
            "value": {
                "type": "f8",
                "doc": "The limit, in the unit of the quota"
            },
            "remove": {
                "type": "kafka_boolean",
                "doc": "Whether the quota is removed"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaClientQuotaRecord.EntityData": {
        "doc": "A user, client id or address that a quota applies to",
        "fields": {
            "entity_type": {
                "type": "kafka_string",
                "doc": "`user`, `client-id` or `ip`"
            },
            "entity_name": {
                "type": "kafka_string",
                "doc": "Null for the default"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConfigRecord": {
        "doc": "A value of a configuration was set or removed.",
        "fields": {
            "resource_type": {
                "type": "s1",
                "doc": "2: topic; 4: broker; 8: broker logger; 16: client metrics; 32: group"
            },
            "resource_name": {
                "type": "kafka_string",
                "doc": "Empty for the default of all brokers"
            },
            "name": {
                "type": "kafka_string",
                "doc": "Name of the configuration"
            },
            "value": {
                "type": "kafka_string",
                "doc": "Null if the value is removed. It may be a secret, which is not encrypted"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentKey": {
        "doc": "Key of the current assignment of a member of a consumer group of the new protocol.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentValue": {
        "doc": "Current assignment of a member of a consumer group of the new protocol, on its way to the target assignment.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "member_epoch": {
                "type": "s4",
                "doc": "Epoch of the member, which it sends in its heartbeats"
            },
            "previous_member_epoch": {
                "type": "s4",
                "doc": "The epoch before; the member sends it again if the response with the new one was lost"
            },
            "state": {
                "type": "s1",
                "doc": "0: stable; 1: it must give up partitions; 2: partitions assigned to it are not free yet"
            },
            "num_assigned_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `assigned_partitions`"
            },
            "assigned_partitions": {
                "type": "topic_partitions[]",
                "doc": "Partitions that the member has, by topic"
            },
            "num_partitions_pending_revocation": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions_pending_revocation`"
            },
            "partitions_pending_revocation": {
                "type": "topic_partitions[]",
                "doc": "Partitions that the member must give up"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitions": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "topic_partitions_tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "topic_partitions_tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsTaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "topic_partitions_assignment_epochs_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaConsumerGroupCurrentMemberAssignmentValue.TopicPartitionsAssignmentEpochsTag": {
        "doc": "Field of tag 0",
        "fields": {
            "num_assignment_epochs": {
                "type": "kafka_array_length",
                "doc": "Number of `assignment_epochs`"
            },
            "assignment_epochs": {
                "type": "s4[]",
                "doc": "For each partition, the epoch of the member in which it was assigned"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataKey": {
        "doc": "Key of a member of a consumer group of the new protocol.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue": {
        "doc": "A member of a consumer group of the new protocol, and its subscription.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "instance_id": {
                "type": "kafka_string",
                "doc": "Id of a static member (KIP-345)"
            },
            "rack_id": {
                "type": "kafka_string",
                "doc": "The member's `client.rack`, if it is set"
            },
            "client_id": {
                "type": "kafka_string",
                "doc": "The member's `client.id`"
            },
            "client_host": {
                "type": "kafka_string",
                "doc": "Address from which the member connects"
            },
            "num_subscribed_topic_names": {
                "type": "kafka_array_length",
                "doc": "Number of `subscribed_topic_names`"
            },
            "subscribed_topic_names": {
                "type": "kafka_string[]",
                "doc": "Names of the topics that the member has subscribed to"
            },
            "subscribed_topic_regex": {
                "type": "kafka_string",
                "doc": "Regular expression, evaluated by the broker (`kafka_consumer_group_regular_expression_value` has the result)"
            },
            "rebalance_timeout_ms": {
                "type": "s4",
                "doc": "How long a rebalance waits for the member, in ms"
            },
            "server_assignor": {
                "type": "kafka_string",
                "doc": "Assignor that the member prefers"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "classic_member_metadata_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadata": {
        "doc": "Only of a member that still speaks the classic protocol",
        "fields": {
            "session_timeout_ms": {
                "type": "s4",
                "doc": "Time without a heartbeat after which the member is removed, in ms"
            },
            "num_supported_protocols": {
                "type": "kafka_array_length",
                "doc": "Number of `supported_protocols`"
            },
            "supported_protocols": {
                "type": "classic_protocol[]",
                "doc": "Assignors that the member supports"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue.ClassicProtocol": {
        "doc": "An assignor that the member supports",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the assignor"
            },
            "metadata": {
                "type": "kafka_bytes",
                "doc": "A `kafka_consumer_protocol_subscription`"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupMemberMetadataValue.ClassicMemberMetadataTag": {
        "doc": "Field of tag 0",
        "fields": {
            "is_classic_member_metadata_present": {
                "type": "kafka_unsigned_varint",
                "doc": "0 if `classic_member_metadata` is null"
            },
            "classic_member_metadata": {
                "type": "classic_member_metadata",
                "doc": "Only of a member that still speaks the classic protocol"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaConsumerGroupMetadataKey": {
        "doc": "Key of a consumer group of the new protocol (KIP-848).",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaConsumerGroupMetadataValue": {
        "doc": "A consumer group of the new protocol (KIP-848).",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "epoch": {
                "type": "s4",
                "doc": "Epoch of the group, one more with each change of its members, their subscriptions or the topics"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaConsumerGroupMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaConsumerGroupMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "metadata_hash_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaConsumerGroupMetadataValue.MetadataHashTag": {
        "doc": "Field of tag 0",
        "fields": {
            "metadata_hash": {
                "type": "s8",
                "doc": "Hash of the topics that the group is subscribed to; another one once they have changed"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaConsumerGroupPartitionMetadataKey": {
        "doc": "Key of the topics as a consumer group of the new protocol knew them. Kafka 4.1 and later only write tombstones for it.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaConsumerGroupPartitionMetadataValue": {
        "doc": "Topics as a consumer group of the new protocol knew them when it last computed an assignment.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `topics`"
            },
            "topics": {
                "type": "topic_metadata[]",
                "doc": "The topics"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupPartitionMetadataValue.TopicMetadata": {
        "doc": "A topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "topic_name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partitions": {
                "type": "s4",
                "doc": "How many partitions it had"
            },
            "num_partition_metadata": {
                "type": "kafka_array_length",
                "doc": "Number of `partition_metadata`"
            },
            "partition_metadata": {
                "type": "partition_metadata[]",
                "doc": "Where its replicas were"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupPartitionMetadataValue.PartitionMetadata": {
        "doc": "Where the replicas of a partition were",
        "fields": {
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "num_racks": {
                "type": "kafka_array_length",
                "doc": "Number of `racks`"
            },
            "racks": {
                "type": "kafka_string[]",
                "doc": "Racks of the partition's replicas"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupRegularExpressionKey": {
        "doc": "Key of a regular expression that members of a consumer group have subscribed to.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "regular_expression": {
                "type": "kafka_string",
                "doc": "The expression, in the syntax of RE2"
            }
        }
    },
    "KafkaConsumerGroupRegularExpressionValue": {
        "doc": "Topics that a regular expression matched when the broker last evaluated it.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `topics`"
            },
            "topics": {
                "type": "kafka_string[]",
                "doc": "Names of the topics"
            },
            "version": {
                "type": "s8",
                "doc": "Version of the cluster's metadata in which it was evaluated"
            },
            "timestamp": {
                "type": "s8",
                "doc": "When it was evaluated, in ms since 1970-01-01 UTC"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMemberKey": {
        "doc": "Key of the target assignment of a member of a consumer group of the new protocol.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMemberValue": {
        "doc": "Target assignment of a member of a consumer group of the new protocol.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_topic_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `topic_partitions`"
            },
            "topic_partitions": {
                "type": "topic_partition[]",
                "doc": "Partitions of a topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMemberValue.TopicPartition": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMetadataKey": {
        "doc": "Key of the epoch of the target assignment of a consumer group of the new protocol.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMetadataValue": {
        "doc": "Epoch of the target assignment of a consumer group of the new protocol.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "assignment_epoch": {
                "type": "s4",
                "doc": "Epoch of the group for which the assignment was computed"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "assignment_timestamp_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaConsumerGroupTargetAssignmentMetadataValue.AssignmentTimestampTag": {
        "doc": "Field of tag 0",
        "fields": {
            "assignment_timestamp": {
                "type": "s8",
                "doc": "When it was computed, in ms since 1970-01-01 UTC"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaConsumerOffsetsKey": {
        "doc": "Key of a record in `__consumer_offsets`, by the type that it begins with. The record's value is a `kafka_consumer_offsets_value` of the same type.",
        "fields": {
            "type": {
                "type": "s2",
                "doc": "What the record is about, and with it the layout of the rest and of the value"
            },
            "message": {
                "type": "kafka_consumer_group_current_member_assignment_key or kafka_consumer_group_member_metadata_key or kafka_consumer_group_metadata_key or kafka_consumer_group_partition_metadata_key or kafka_consumer_group_regular_expression_key or kafka_consumer_group_target_assignment_member_key or kafka_consumer_group_target_assignment_metadata_key or kafka_group_metadata_key or kafka_legacy_offset_commit_key or kafka_offset_commit_key or kafka_share_group_current_member_assignment_key or kafka_share_group_member_metadata_key or kafka_share_group_metadata_key or kafka_share_group_state_partition_metadata_key or kafka_share_group_target_assignment_member_key or kafka_share_group_target_assignment_metadata_key or kafka_streams_group_current_member_assignment_key or kafka_streams_group_member_metadata_key or kafka_streams_group_metadata_key or kafka_streams_group_target_assignment_member_key or kafka_streams_group_target_assignment_metadata_key or kafka_streams_group_topology_key",
                "doc": "The message; bytes if it is not known"
            }
        }
    },
    "KafkaConsumerOffsetsValue": {
        "doc": "Value of a record in `__consumer_offsets`. Only the key, a `kafka_consumer_offsets_key`, says which message it is. If that is known, use the spec of the message.",
        "fields": {
            "message": {
                "type": "kafka_consumer_group_current_member_assignment_value or kafka_consumer_group_member_metadata_value or kafka_consumer_group_metadata_value or kafka_consumer_group_partition_metadata_value or kafka_consumer_group_regular_expression_value or kafka_consumer_group_target_assignment_member_value or kafka_consumer_group_target_assignment_metadata_value or kafka_group_metadata_value or kafka_legacy_offset_commit_value or kafka_offset_commit_value or kafka_share_group_current_member_assignment_value or kafka_share_group_member_metadata_value or kafka_share_group_metadata_value or kafka_share_group_state_partition_metadata_value or kafka_share_group_target_assignment_member_value or kafka_share_group_target_assignment_metadata_value or kafka_streams_group_current_member_assignment_value or kafka_streams_group_member_metadata_value or kafka_streams_group_metadata_value or kafka_streams_group_target_assignment_member_value or kafka_streams_group_target_assignment_metadata_value or kafka_streams_group_topology_value",
                "doc": "The message, which begins with its version; bytes if it is not known"
            }
        }
    },
    "KafkaConsumerProtocolAssignment": {
        "doc": "Partitions that a consumer of a classic group is to read, `assignment` in `kafka_group_metadata_value`.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout. Kafka reads later ones as the last one that it knows"
            },
            "num_assigned_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `assigned_partitions`"
            },
            "assigned_partitions": {
                "type": "topic_partition[]",
                "doc": "Partitions that the member has, by topic"
            },
            "user_data": {
                "type": "kafka_bytes",
                "doc": "Data of the assignor"
            }
        }
    },
    "KafkaConsumerProtocolAssignment.TopicPartition": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            }
        }
    },
    "KafkaConsumerProtocolSubscription": {
        "doc": "Subscription that a consumer of a classic group sends when it joins, `subscription` in `kafka_group_metadata_value`.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout. Kafka reads later ones as the last one that it knows"
            },
            "num_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `topics`"
            },
            "topics": {
                "type": "kafka_string[]",
                "doc": "The topics"
            },
            "user_data": {
                "type": "kafka_bytes",
                "doc": "Data of the assignor; that of the sticky one is a `kafka_sticky_assignor_user_data`"
            },
            "num_owned_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `owned_partitions`"
            },
            "owned_partitions": {
                "type": "topic_partition[]",
                "doc": "Partitions that the consumer still has from the last assignment, for cooperative rebalances (KIP-429)"
            },
            "generation_id": {
                "type": "s4",
                "doc": "Generation of the group in which it got these, -1 if unknown (KIP-792)"
            },
            "rack_id": {
                "type": "kafka_string",
                "doc": "The consumer's `client.rack` (KIP-881)"
            }
        }
    },
    "KafkaConsumerProtocolSubscription.TopicPartition": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            }
        }
    },
    "KafkaControlRecordKey": {
        "doc": "Key of each record in a `kafka_record_batch` that has `attributes.is_control` set. It determines the type of the value.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the key's layout, 0 so far. Kafka reads later versions as this one"
            },
            "type": {
                "type": "s2",
                "doc": "Type of the control record, which determines its value. Kafka skips records of unknown types"
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "Fields of a later version; empty in version 0"
            }
        }
    },
    "KafkaControlRecordValue": {
        "doc": "Value of a control record in `__cluster_metadata` or a snapshot of it. What it is, only the key tells, a `kafka_control_record_key`. Where that is known, the spec of the message itself does as well.",
        "fields": {
            "message": {
                "type": "kafka_kraft_version_record or kafka_leader_change_message or kafka_snapshot_footer_record or kafka_snapshot_header_record or kafka_voters_record",
                "doc": "The message; bytes if it is not known, or ends a transaction"
            }
        }
    },
    "KafkaCooperativeStickyAssignorUserData": {
        "doc": "What a consumer with the assignor `cooperative-sticky` puts into the `user_data` of its `kafka_consumer_protocol_subscription`. What it got last is in the subscription itself.",
        "fields": {
            "generation": {
                "type": "s4",
                "doc": "In which generation of the group the consumer got what it owns"
            }
        }
    },
    "KafkaDelegationTokenRecord": {
        "doc": "A delegation token was issued or renewed.",
        "fields": {
            "owner": {
                "type": "kafka_string",
                "doc": "Principal that the token stands for"
            },
            "requester": {
                "type": "kafka_string",
                "doc": "Principal that asked for it"
            },
            "num_renewers": {
                "type": "kafka_array_length",
                "doc": "Number of `renewers`"
            },
            "renewers": {
                "type": "kafka_string[]",
                "doc": "Principals that may renew it"
            },
            "issue_timestamp": {
                "type": "s8",
                "doc": "When it was issued, in ms since 1970-01-01 UTC"
            },
            "max_timestamp": {
                "type": "s8",
                "doc": "Up to when it can be renewed, in ms since 1970-01-01 UTC"
            },
            "expiration_timestamp": {
                "type": "s8",
                "doc": "When it expires, in ms since 1970-01-01 UTC"
            },
            "token_id": {
                "type": "kafka_string",
                "doc": "Id of the token"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaEndTransactionMarker": {
        "doc": "Value of the control records that end a transaction in a partition. The key, a `kafka_control_record_key`, says whether it was committed or aborted; the header of the `kafka_record_batch` has its producer.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the marker's layout, 0 so far. Kafka reads later versions as this one"
            },
            "coordinator_epoch": {
                "type": "s4",
                "doc": "Leader epoch of the partition of `__transaction_state` whose leader coordinated the transaction. A broker refuses markers of an older coordinator."
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "Fields of a later version; empty in version 0"
            }
        }
    },
    "KafkaEndTransactionRecord": {
        "doc": "End of a transaction of metadata, whose records count from here on (KIP-868).",
        "fields": {
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaFeatureLevelRecord": {
        "doc": "Level of a feature of the cluster, such as `metadata.version`.",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the feature"
            },
            "feature_level": {
                "type": "s2",
                "doc": "0 if the feature is not supported any more"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaFenceBrokerRecord": {
        "doc": "A broker was fenced. Since 3.3 Kafka writes a `kafka_broker_registration_change_record` instead.",
        "fields": {
            "id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "epoch": {
                "type": "s8",
                "doc": "Epoch of the broker's registration"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaGroupMetadataKey": {
        "doc": "Key of a classic consumer group.",
        "fields": {
            "group": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaGroupMetadataValue": {
        "doc": "A classic consumer group as it was after a rebalance, or when its last member had left.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "protocol_type": {
                "type": "kafka_string",
                "doc": "\"consumer\", or \"connect\" and the like; empty for a group that only commits offsets"
            },
            "generation": {
                "type": "s4",
                "doc": "Number of the rebalance"
            },
            "protocol": {
                "type": "kafka_string",
                "doc": "Name of the assignor that all members agreed on"
            },
            "leader": {
                "type": "kafka_string",
                "doc": "Id of the member that computed the assignment"
            },
            "current_state_timestamp": {
                "type": "s8",
                "doc": "When the group entered its state, in ms since 1970-01-01 UTC"
            },
            "num_members": {
                "type": "kafka_array_length",
                "doc": "Number of `members`"
            },
            "members": {
                "type": "member_metadata[]",
                "doc": "The members of the group"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaGroupMetadataValue.MemberMetadata": {
        "doc": "A member of the group",
        "fields": {
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            },
            "group_instance_id": {
                "type": "kafka_string",
                "doc": "Id of a static member (KIP-345)"
            },
            "client_id": {
                "type": "kafka_string",
                "doc": "The member's `client.id`"
            },
            "client_host": {
                "type": "kafka_string",
                "doc": "Address from which the member connects"
            },
            "rebalance_timeout": {
                "type": "s4",
                "doc": "How long a rebalance waits for the member, in ms"
            },
            "session_timeout": {
                "type": "s4",
                "doc": "Time without a heartbeat after which the member is removed, in ms"
            },
            "subscription": {
                "type": "kafka_bytes",
                "doc": "Data that the member sent when it joined; in groups of consumers a `kafka_consumer_protocol_subscription`"
            },
            "assignment": {
                "type": "kafka_bytes",
                "doc": "Data that the leader sent for it; in groups of consumers a `kafka_consumer_protocol_assignment`"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaHeader": {
        "doc": "A name and a value that an application has attached to a `kafka_record` (KIP-82). A record may repeat names, and their order is significant.",
        "fields": {
            "len_key": {
                "type": "kafka_varint",
                "doc": "Size of the key in bytes; a negative one is invalid, as a key must not be null"
            },
            "key": {
                "type": "bytes",
                "doc": "Name of the header in UTF-8, which no broker checks: Java clients replace invalid bytes with U+FFFD. So this spec gives bytes."
            },
            "len_value": {
                "type": "kafka_varint",
                "doc": "Size of the value in bytes; -1 for null, and Kafka reads any negative size as null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the header as the application set it. Missing if null; an empty value is not null"
            }
        }
    },
    "KafkaKraftVersionRecord": {
        "doc": "Value of the control record of type `kraft_version` in the metadata log and its snapshots. It sets the version of the feature `kraft.version` from here on.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "kraft_version": {
                "type": "s2",
                "doc": "0: the voters are in the configuration of each node; 1: they are in the log, in `kafka_voters_record`, and can be changed"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaLeaderChangeMessage": {
        "doc": "Value of the control record of type `leader_change`, which a new leader of the metadata log appends before anything else. Its epoch is the `partition_leader_epoch` of the `kafka_record_batch`.\n\nVersion 1 adds the directories of the voters (KIP-853). Kafka 4.3 knows it, but still writes version 0.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "leader_id": {
                "type": "s4",
                "doc": "The new leader's `node.id`"
            },
            "num_voters": {
                "type": "kafka_array_length",
                "doc": "Number of `voters`"
            },
            "voters": {
                "type": "voter[]",
                "doc": "All controllers that could vote in this epoch"
            },
            "num_granting_voters": {
                "type": "kafka_array_length",
                "doc": "Number of `granting_voters`"
            },
            "granting_voters": {
                "type": "voter[]",
                "doc": "Those that voted for the leader, itself included"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaLeaderChangeMessage.Voter": {
        "doc": "A controller that votes",
        "fields": {
            "voter_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "voter_directory_id": {
                "type": "bytes",
                "doc": "UUID of the directory that holds the controller's metadata log, the `directory.id` of its `meta.properties`. All zeros if unknown."
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaLegacyOffsetCommitKey": {
        "doc": "Key of an offset that a consumer group has committed for a partition, as Kafka 0.8.2 wrote it. It has the layout of a `kafka_offset_commit_key`.",
        "fields": {
            "group": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            }
        }
    },
    "KafkaLegacyOffsetCommitValue": {
        "doc": "Offset that a consumer group has committed for a partition, as Kafka 0.8.2 wrote it. It has the layout of a `kafka_offset_commit_value` of version 0.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "offset": {
                "type": "s8",
                "doc": "Offset of the next record that the group wants to read"
            },
            "metadata": {
                "type": "kafka_string",
                "doc": "Text that the consumer committed with the offset, mostly empty"
            },
            "commit_timestamp": {
                "type": "s8",
                "doc": "When it was committed, in ms since 1970-01-01 UTC"
            }
        }
    },
    "KafkaLogSegment": {
        "doc": "Apache Kafka keeps each partition of a topic as a directory of segments. A segment file is named after the offset at which it starts, in 20 digits (`00000000000000000000.log`), and consists of entries, one after another, without a file header. An entry is\n\n* a message of format 0 (until Kafka 0.9) or 1 (0.10), or * a batch of records, format 2 (since Kafka 0.11).\n\nA file may mix entries of all three formats, as a broker keeps old data when the message format of a topic changes.\n\nTwo more things have this format: the `.checkpoint` snapshots of the metadata log of Kafka's own Raft protocol (KIP-630; their offsets start at 0 whatever the file is called), and the decompressed value of a compressed message of format 0 or 1, which is a sequence of messages.\n\nA file ends after a whole entry; with an incomplete entry, if the broker did not write it completely (see `truncated`); or with zeros, if the broker preallocates segments and was not shut down cleanly. Zeros are not entries, and this parser stops at them with an error (on `len_body`), as Kafka's own reader does.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "All entries. The last one may be incomplete: then it has `truncated` in place of its body."
            }
        }
    },
    "KafkaLogSegment.Entry": {
        "doc": "A message or a record batch, after its offset and its size.",
        "fields": {
            "base_offset": {
                "type": "s8",
                "doc": "Offset of the first record of a batch, of an uncompressed message, or of the last message in a compressed one. No CRC covers it, so that a broker can assign offsets without reading the data again: a flipped bit in it goes unnoticed."
            },
            "len_body": {
                "type": "s4",
                "doc": "Size of the rest of the entry in bytes. The smallest possible size is 14, that of a message of format 0 without key and value. No CRC covers it. Kafka treats 17 bytes or fewer at the end of a file as the start of an incomplete entry, and ignores its size."
            },
            "body": {
                "type": "kafka_message or kafka_record_batch",
                "doc": "The message or the record batch itself. All formats have their magic byte at the same place. Kafka reads an entry with any magic byte below 2, also a negative one, as a message."
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "The present bytes of an incomplete entry, after its size if that is complete. Only the last entry of a file may be incomplete. This is not an error: a broker drops these bytes when it starts after a crash."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format: 0, 1 or 2. The CRC of a record batch does not cover this byte. If a flipped bit makes it more than 2, brokers read the entry as a good batch of format 2 and keep it; consumers fail at it."
            }
        }
    },
    "KafkaMessage": {
        "doc": "A message of the formats that Apache Kafka wrote before version 0.11, without its offset and size, which are part of the entry in a `kafka_log_segment`.\n\nA message with compression is a wrapper: its `value`, once decompressed, is a `kafka_log_segment` of the messages it holds; its key is not used. Wrappers are not nested. The offset of a wrapper is that of the last message in it. The offsets of the wrapped messages are\n\n* in format 0 absolute, * in format 1 relative to each other (KIP-31): the last wrapped message has the wrapper's offset, and the others are as far before it as their numbers are before its number. After compaction the numbers have gaps.\n\nThe format of the wrapper decides, not the formats of the messages in it.",
        "fields": {
            "crc": {
                "type": "u4",
                "doc": "CRC-32 (that of zip and Ethernet) of `crc_input`. A reading Kafka checks the CRC of a wrapper, but not those of the messages in it."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format, 0 or 1. Kafka reads negative numbers as 1."
            },
            "attributes": {
                "type": "attributes",
                "doc": "Compression and kind of timestamp"
            },
            "timestamp": {
                "type": "s8",
                "doc": "Milliseconds since 1970-01-01 UTC, -1 if unknown: the time at which the producer made the message or the broker appended it, by `attributes.timestamp_type`. With `log_append_time` the timestamp of a wrapper applies to all messages in it, and their own are ignored. Otherwise the timestamp of a wrapper is the greatest of its messages."
            },
            "len_key": {
                "type": "s4",
                "doc": "Size of the key in bytes; -1 for null, and Kafka reads any negative size as null"
            },
            "key": {
                "type": "bytes",
                "doc": "Key of the message as the producer serialized it. Missing if null; an empty key is not null"
            },
            "len_value": {
                "type": "s4",
                "doc": "Size of the value in bytes; -1 for null, and Kafka reads any negative size as null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the message as the producer serialized it, or of a wrapper the compressed messages. Missing if null. In a compacted topic a null value means that the key is to be deleted. A wrapper must have a value. Snappy data of Java clients begins with the header of the xerial library's framing (its first byte is 0x82); other clients may write one raw block. In format 0 the header checksum of LZ4 frames is wrong by a historical error of the Java client, which computed it over four bytes too many (KAFKA-3160)."
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "Bytes after the value, usually none. Kafka accepts them, and the CRC covers them"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes that `crc` covers, from `magic` to the end, without offset and size of the entry."
            }
        }
    },
    "KafkaMessage.Attributes": {
        "doc": "A byte of flags",
        "fields": {
            "reserved": {
                "type": "b4",
                "doc": "Zeros; Kafka ignores them"
            },
            "timestamp_type": {
                "type": "b1",
                "doc": "Type of the timestamp. Without meaning in format 0, which has no timestamp"
            },
            "compression": {
                "type": "b3",
                "doc": "Codec of `value`. Only `none`, `gzip`, `snappy` and `lz4` are valid in these formats, `lz4` since Kafka 0.8.2; with any other codec Kafka reads the message itself, but not the messages in it."
            }
        }
    },
    "KafkaMetadataRecord": {
        "doc": "Value of a record in `__cluster_metadata` and its snapshots, except control records. Its key is null.",
        "fields": {
            "frame_version": {
                "type": "bytes",
                "doc": "Version of this frame"
            },
            "api_key": {
                "type": "kafka_unsigned_varint",
                "doc": "Which message it is, one of `record_type`"
            },
            "version": {
                "type": "kafka_unsigned_varint",
                "doc": "Version of the message's layout"
            },
            "message": {
                "type": "kafka_abort_transaction_record or kafka_access_control_entry_record or kafka_begin_transaction_record or kafka_broker_registration_change_record or kafka_clear_elr_record or kafka_client_quota_record or kafka_config_record or kafka_delegation_token_record or kafka_end_transaction_record or kafka_feature_level_record or kafka_fence_broker_record or kafka_no_op_record or kafka_partition_change_record or kafka_partition_record or kafka_producer_ids_record or kafka_register_broker_record or kafka_register_controller_record or kafka_remove_access_control_entry_record or kafka_remove_delegation_token_record or kafka_remove_topic_record or kafka_remove_user_scram_credential_record or kafka_topic_record or kafka_unfence_broker_record or kafka_unregister_broker_record or kafka_unregister_controller_record or kafka_user_scram_credential_record or kafka_zk_migration_state_record",
                "doc": "The message; bytes if it is not known"
            }
        }
    },
    "KafkaNoOpRecord": {
        "doc": "No change; the active controller appends it to show that it can.",
        "fields": {
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaOffsetCommitKey": {
        "doc": "Key of an offset that a consumer group has committed for a partition.",
        "fields": {
            "group": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            }
        }
    },
    "KafkaOffsetCommitValue": {
        "doc": "Offset that a consumer group has committed for a partition. An offset that was committed in a transaction counts only once a `COMMIT` marker follows in the same partition of `__consumer_offsets`.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "offset": {
                "type": "s8",
                "doc": "Offset of the next record that the group wants to read"
            },
            "leader_epoch": {
                "type": "s4",
                "doc": "Leader epoch of the record before that offset, -1 if the consumer did not send it"
            },
            "metadata": {
                "type": "kafka_string",
                "doc": "Text that the consumer committed with the offset, mostly empty"
            },
            "commit_timestamp": {
                "type": "s8",
                "doc": "When it was committed, in ms since 1970-01-01 UTC"
            },
            "expire_timestamp": {
                "type": "s8",
                "doc": "When it expires, in ms since 1970-01-01 UTC; -1 if the broker decides. Kafka writes version 1 only for a client that asked for its own retention time"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaOffsetCommitValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaOffsetCommitValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "topic_id_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaOffsetCommitValue.TopicIdTag": {
        "doc": "Field of tag 0",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "Id of the topic; left out where the broker did not know it"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaOffsetIndex": {
        "doc": "Positions of offsets in the `kafka_log_segment` of the same name: an entry for about every 4096 bytes (`log.index.interval.bytes`), in ascending order. Kafka runs a binary search over them. The index of a small segment is often empty.\n\nWhile a broker writes to a segment its index is preallocated to its full size (`log.index.size.max.bytes`), so that entries of zeros follow the last real one. They are cut off when the segment is full or on a clean shutdown, but remain after a crash, and in directories of deleted topics. Only the very first entry may really be zero, as both numbers rise from entry to entry.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Entries in use, then entries of zeros if the file is preallocated"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Empty, or an incomplete entry; Kafka ignores it"
            }
        }
    },
    "KafkaOffsetIndex.Entry": {
        "doc": "The position from which a reader searches the log for an offset: no record with this or a greater offset lies before it.",
        "fields": {
            "relative_offset": {
                "type": "s4",
                "doc": "An offset minus the segment's base offset (its file name). The offset belongs to the entries that the broker appended together at `ofs_entry`. Up to Kafka 1.1 it is their first offset, that of the entry to which `ofs_entry` points. In later versions it is their last offset, which may be beyond the end of that entry. An old log has indexes of both kinds, and no file says which."
            },
            "ofs_entry": {
                "type": "s4",
                "doc": "Position of an entry in the segment file"
            }
        }
    },
    "KafkaPartitionChangeRecord": {
        "doc": "Change of a partition. Fields that did not change are left out.",
        "fields": {
            "partition_id": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaPartitionChangeRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaPartitionChangeRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "adding_replicas_tag or directories_tag or eligible_leader_replicas_tag or isr_tag or last_known_elr_tag or leader_recovery_state_tag or leader_tag or removing_replicas_tag or replicas_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaPartitionChangeRecord.IsrTag": {
        "doc": "Field of tag 0",
        "fields": {
            "num_isr": {
                "type": "kafka_array_length",
                "doc": "Number of `isr`"
            },
            "isr": {
                "type": "s4[]",
                "doc": "The new in-sync replicas"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.LeaderTag": {
        "doc": "Field of tag 1",
        "fields": {
            "leader": {
                "type": "s4",
                "doc": "The new leader, -1 if there is none; with it the leader epoch goes up by one"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.ReplicasTag": {
        "doc": "Field of tag 2",
        "fields": {
            "num_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `replicas`"
            },
            "replicas": {
                "type": "s4[]",
                "doc": "Brokers that the partition is assigned to"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.RemovingReplicasTag": {
        "doc": "Field of tag 3",
        "fields": {
            "num_removing_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `removing_replicas`"
            },
            "removing_replicas": {
                "type": "s4[]",
                "doc": "Replicas that a reassignment is removing"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.AddingReplicasTag": {
        "doc": "Field of tag 4",
        "fields": {
            "num_adding_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `adding_replicas`"
            },
            "adding_replicas": {
                "type": "s4[]",
                "doc": "Replicas that a reassignment is adding"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.LeaderRecoveryStateTag": {
        "doc": "Field of tag 5",
        "fields": {
            "leader_recovery_state": {
                "type": "s1",
                "doc": "0: recovered; 1: the leader was elected uncleanly and has not recovered yet"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.DirectoriesTag": {
        "doc": "Field of tag 8",
        "fields": {
            "num_directories": {
                "type": "kafka_array_length",
                "doc": "Number of `directories`"
            },
            "directories": {
                "type": "bytes[]",
                "doc": "Directory id of each replica"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.EligibleLeaderReplicasTag": {
        "doc": "Field of tag 6",
        "fields": {
            "num_eligible_leader_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `eligible_leader_replicas`"
            },
            "eligible_leader_replicas": {
                "type": "s4[]",
                "doc": "Replicas out of sync that have all committed records (KIP-966)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionChangeRecord.LastKnownElrTag": {
        "doc": "Field of tag 7",
        "fields": {
            "num_last_known_elr": {
                "type": "kafka_array_length",
                "doc": "Number of `last_known_elr`"
            },
            "last_known_elr": {
                "type": "s4[]",
                "doc": "Replicas that were last eligible and went down uncleanly (KIP-966)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionRecord": {
        "doc": "A partition, new or in a snapshot.",
        "fields": {
            "partition_id": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "num_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `replicas`"
            },
            "replicas": {
                "type": "s4[]",
                "doc": "Brokers in order of preference"
            },
            "num_isr": {
                "type": "kafka_array_length",
                "doc": "Number of `isr`"
            },
            "isr": {
                "type": "s4[]",
                "doc": "In-sync replicas"
            },
            "num_removing_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `removing_replicas`"
            },
            "removing_replicas": {
                "type": "s4[]",
                "doc": "Those that a reassignment is removing"
            },
            "num_adding_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `adding_replicas`"
            },
            "adding_replicas": {
                "type": "s4[]",
                "doc": "Those that a reassignment is adding"
            },
            "leader": {
                "type": "s4",
                "doc": "The leader, -1 if there is none"
            },
            "leader_epoch": {
                "type": "s4",
                "doc": "Epoch of the partition's leader"
            },
            "partition_epoch": {
                "type": "s4",
                "doc": "Number of changes of the partition"
            },
            "num_directories": {
                "type": "kafka_array_length",
                "doc": "Number of `directories`"
            },
            "directories": {
                "type": "bytes[]",
                "doc": "Directory id of each replica"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaPartitionRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaPartitionRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "eligible_leader_replicas_tag or last_known_elr_tag or leader_recovery_state_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaPartitionRecord.LeaderRecoveryStateTag": {
        "doc": "Field of tag 0",
        "fields": {
            "leader_recovery_state": {
                "type": "s1",
                "doc": "0: recovered; 1: the leader was elected uncleanly and has not recovered yet"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionRecord.EligibleLeaderReplicasTag": {
        "doc": "Field of tag 1",
        "fields": {
            "num_eligible_leader_replicas": {
                "type": "kafka_array_length",
                "doc": "Number of `eligible_leader_replicas`"
            },
            "eligible_leader_replicas": {
                "type": "s4[]",
                "doc": "Replicas out of sync that have all committed records (KIP-966)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaPartitionRecord.LastKnownElrTag": {
        "doc": "Field of tag 2",
        "fields": {
            "num_last_known_elr": {
                "type": "kafka_array_length",
                "doc": "Number of `last_known_elr`"
            },
            "last_known_elr": {
                "type": "s4[]",
                "doc": "Replicas that were last eligible and went down uncleanly (KIP-966)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaProducerIdsRecord": {
        "doc": "A block of producer ids was given to a broker.",
        "fields": {
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "broker_epoch": {
                "type": "s8",
                "doc": "Epoch of the broker's registration"
            },
            "next_producer_id": {
                "type": "s8",
                "doc": "First producer id of the next block"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaProducerSnapshot": {
        "doc": "The state of the idempotent and transactional producers that have written to a partition, so that a starting broker need not read the whole log (KIP-98). The file is named after an offset, in 20 digits (`00000000000000000042.snapshot`), and has the state after all records below that offset. Each of the latest segments has one for its start, and after a clean shutdown the log has one for its end.\n\nEvery Kafka from 0.11 on writes version 1. A snapshot without producers is 10 bytes long.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the file's layout, always 1"
            },
            "crc": {
                "type": "u4",
                "doc": "CRC-32C (Castagnoli) of `crc_input`"
            },
            "num_producers": {
                "type": "s4",
                "doc": "Number of producers"
            },
            "producers": {
                "type": "producer[]",
                "doc": "The producers, in no particular order"
            },
            "trailing": {
                "type": "bytes to the end",
                "doc": "Bytes after the last producer, usually none. Kafka accepts them, and the CRC covers them"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes that `crc` covers, from `num_producers` to the end"
            }
        }
    },
    "KafkaProducerSnapshot.Producer": {
        "doc": "A producer and its last batch. In memory a broker has the last five batches, to detect duplicates; the snapshot does not keep the other four.",
        "fields": {
            "producer_id": {
                "type": "s8",
                "doc": "Id that the cluster has given to the producer"
            },
            "epoch": {
                "type": "s2",
                "doc": "Epoch of the producer, by which brokers distinguish a restarted producer from its predecessor"
            },
            "last_sequence": {
                "type": "s4",
                "doc": "Sequence number of the last record, -1 if it has only written a marker"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the last record, -1 if it has only written a marker"
            },
            "offset_delta": {
                "type": "s4",
                "doc": "Last offset of the last batch minus its first offset; the sequence numbers have the same difference"
            },
            "timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp of the last batch or marker, in milliseconds since 1970-01-01 UTC. A broker forgets the producer `producer.id.expiration.ms` after it."
            },
            "coordinator_epoch": {
                "type": "s4",
                "doc": "`coordinator_epoch` of the last `kafka_end_transaction_marker`, -1 without a marker"
            },
            "current_txn_first_offset": {
                "type": "s8",
                "doc": "First offset of the open transaction, -1 without one"
            }
        }
    },
    "KafkaRecord": {
        "doc": "A record of a `kafka_record_batch`. Its offset and timestamp are relative to those of the batch, and nearly all numbers have variable length.",
        "fields": {
            "len_body": {
                "type": "kafka_varint",
                "doc": "Size of the record in bytes, without this field"
            },
            "body": {
                "type": "body",
                "doc": "The record itself"
            }
        }
    },
    "KafkaRecord.Body": {
        "doc": "Fields of a record after its size",
        "fields": {
            "attributes": {
                "type": "u1",
                "doc": "Not used, 0"
            },
            "timestamp_delta": {
                "type": "kafka_varlong",
                "doc": "Milliseconds to add to the batch's `base_timestamp`; the sum wraps at 64 bits. Ignored if the timestamp type of the batch is `log_append_time`."
            },
            "offset_delta": {
                "type": "kafka_varint",
                "doc": "Number to add to the offset of the batch, and to its `base_sequence` if that is not -1. After compaction the numbers have gaps."
            },
            "len_key": {
                "type": "kafka_varint",
                "doc": "Size of the key in bytes; -1 for null, and Kafka reads any negative size as null"
            },
            "key": {
                "type": "bytes",
                "doc": "Key of the record as the producer serialized it. Missing if null; an empty key is not null. In a control batch, a `kafka_control_record_key`."
            },
            "len_value": {
                "type": "kafka_varint",
                "doc": "Size of the value in bytes; -1 for null, and Kafka reads any negative size as null"
            },
            "value": {
                "type": "bytes",
                "doc": "Value of the record as the producer serialized it. Missing if null. In a compacted topic a null value means that the key is to be deleted. In a transaction marker, a `kafka_end_transaction_marker`."
            },
            "num_headers": {
                "type": "kafka_varint",
                "doc": "Number of headers; a negative one is invalid"
            },
            "headers": {
                "type": "kafka_header[]",
                "doc": "Headers in the order in which they were added. A negative number becomes one that exceeds every record, so that it is an error"
            },
            "rest": {
                "type": "bytes to the end",
                "doc": "Bytes after the headers, always none: Kafka refuses a record whose fields do not fill it exactly"
            }
        }
    },
    "KafkaRecordBatch": {
        "doc": "A record batch, which Apache Kafka writes since version 0.11: a header of 49 bytes and a number of records, without its offset and size, which are part of the entry in a `kafka_log_segment`. The records are compressed together or not at all; the header never is.\n\nThe log cleaner, which compacts topics, removes records from batches, but keeps the offset of the entry and `last_offset_delta`. So a batch may have fewer records than offsets, its first record need not have the offset of the entry, and a batch with the last sequence number of a producer is kept even without records.",
        "fields": {
            "partition_leader_epoch": {
                "type": "s4",
                "doc": "Epoch of the partition's leader that appended the batch (KIP-101), -1 if unknown. The CRC does not cover it, as the leader sets it in a batch that the producer has made."
            },
            "magic": {
                "type": "s1",
                "doc": "Number of the message format. The CRC does not cover it"
            },
            "crc": {
                "type": "u4",
                "doc": "CRC-32C (Castagnoli) of `crc_input`, with the records as compressed"
            },
            "attributes": {
                "type": "attributes",
                "doc": "Compression, type of timestamp, and kind of records"
            },
            "last_offset_delta": {
                "type": "s4",
                "doc": "Last offset of the batch as it was produced, minus the offset of the entry; also the number of its sequence numbers minus one."
            },
            "base_timestamp": {
                "type": "s8",
                "doc": "Milliseconds since 1970-01-01 UTC to which the `timestamp_delta` of each record is added; the sum wraps at 64 bits. -1 if unknown or without records. As produced it is the timestamp of the first record. With `attributes.has_delete_horizon` it is instead the time, past or future, from which on the log cleaner may drop the tombstones or the transaction marker in the batch (KIP-534). The deltas are then relative to it, and mostly negative; the timestamps of the records are unchanged."
            },
            "max_timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp of the records. If `attributes.timestamp_type` is `log_append_time` it is the time of the append and the timestamp of every record in the batch; `base_timestamp` and the deltas are still those of the producer, and are ignored."
            },
            "producer_id": {
                "type": "s8",
                "doc": "Id of an idempotent or transactional producer, -1 for any other"
            },
            "producer_epoch": {
                "type": "s2",
                "doc": "Epoch of the producer, -1 without producer id. It rises whenever a transactional producer restarts, so that the broker can refuse the old one. With transactions of version 2 (KIP-890) it rises with each transaction, and the marker that ends a transaction already has the next epoch."
            },
            "base_sequence": {
                "type": "s4",
                "doc": "Sequence number of the first record as produced, -1 for none. The sequence number of a record is greater by its `offset_delta`; 0 follows 2147483647, also inside a batch."
            },
            "num_records": {
                "type": "s4",
                "doc": "Number of records, which the log cleaner may have reduced to 0"
            },
            "crc_input": {
                "type": "bytes to the end",
                "doc": "The bytes that `crc` covers, from `attributes` to the end, without offset and size of the entry, `partition_leader_epoch`, `magic` and the CRC itself."
            },
            "records": {
                "type": "kafka_record[]",
                "doc": "The records, if they are not compressed. Kafka refuses a batch with bytes after the last record."
            },
            "compressed_records": {
                "type": "bytes to the end",
                "doc": "The records, if they are compressed: after decompression a `kafka_records` with `num_records` records."
            }
        }
    },
    "KafkaRecordBatch.Attributes": {
        "doc": "Two bytes of flags",
        "fields": {
            "reserved": {
                "type": "b9",
                "doc": "Zeros; Kafka ignores them"
            },
            "has_delete_horizon": {
                "type": "b1",
                "doc": "Whether `base_timestamp` is the delete horizon, since Kafka 3.1 (KIP-534)"
            },
            "is_control": {
                "type": "b1",
                "doc": "Whether the records are Kafka's own, such as transaction markers: their keys are `kafka_control_record_key`, and consumers do not return them."
            },
            "is_transactional": {
                "type": "b1",
                "doc": "Whether the batch is part of a transaction"
            },
            "timestamp_type": {
                "type": "b1",
                "doc": "Type of the records' timestamps"
            },
            "compression": {
                "type": "b3",
                "doc": "Codec of the records. 5 to 7 are not used: Kafka reads such a batch, but not its records."
            }
        }
    },
    "KafkaRecords": {
        "doc": "Records one after another to the end of the stream: the decompressed `compressed_records` of a `kafka_record_batch`. Their number must be exactly the batch's `num_records`.",
        "fields": {
            "records": {
                "type": "kafka_record[]",
                "doc": "All records of the batch"
            }
        }
    },
    "KafkaRegisterBrokerRecord": {
        "doc": "A broker registered with the controller.",
        "fields": {
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "is_migrating_zk_broker": {
                "type": "kafka_boolean",
                "doc": "Whether it still kept its metadata in ZooKeeper"
            },
            "incarnation_id": {
                "type": "bytes",
                "doc": "UUID of the broker's process"
            },
            "broker_epoch": {
                "type": "s8",
                "doc": "Epoch of the registration, mostly the offset of this record"
            },
            "num_end_points": {
                "type": "kafka_array_length",
                "doc": "Number of `end_points`"
            },
            "end_points": {
                "type": "broker_endpoint[]",
                "doc": "Addresses, one for each listener"
            },
            "num_features": {
                "type": "kafka_array_length",
                "doc": "Number of `features`"
            },
            "features": {
                "type": "broker_feature[]",
                "doc": "Supported levels of features"
            },
            "rack": {
                "type": "kafka_string",
                "doc": "The `broker.rack`, if it is set"
            },
            "fenced": {
                "type": "kafka_boolean",
                "doc": "Whether it is fenced, as all are at first"
            },
            "in_controlled_shutdown": {
                "type": "kafka_boolean",
                "doc": "Whether the broker is shutting down"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaRegisterBrokerRecord.BrokerEndpoint": {
        "doc": "Address of the broker",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the listener"
            },
            "host": {
                "type": "kafka_string",
                "doc": "Host name or IP address"
            },
            "port": {
                "type": "u2",
                "doc": "TCP port"
            },
            "security_protocol": {
                "type": "s2",
                "doc": "0: PLAINTEXT; 1: SSL; 2: SASL_PLAINTEXT; 3: SASL_SSL"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRegisterBrokerRecord.BrokerFeature": {
        "doc": "Levels of a feature that the broker supports",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the feature"
            },
            "min_supported_version": {
                "type": "s2",
                "doc": "Lowest level"
            },
            "max_supported_version": {
                "type": "s2",
                "doc": "Highest level"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRegisterBrokerRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaRegisterBrokerRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "cordoned_log_dirs_tag or log_dirs_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaRegisterBrokerRecord.LogDirsTag": {
        "doc": "Field of tag 0",
        "fields": {
            "num_log_dirs": {
                "type": "kafka_array_length",
                "doc": "Number of `log_dirs`"
            },
            "log_dirs": {
                "type": "bytes[]",
                "doc": "Directory ids of all log directories that are online"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaRegisterBrokerRecord.CordonedLogDirsTag": {
        "doc": "Field of tag 1",
        "fields": {
            "num_cordoned_log_dirs": {
                "type": "kafka_array_length",
                "doc": "Number of `cordoned_log_dirs`"
            },
            "cordoned_log_dirs": {
                "type": "bytes[]",
                "doc": "Directory ids of log directories that get no new partitions"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaRegisterControllerRecord": {
        "doc": "A controller registered with the active one (KIP-919).",
        "fields": {
            "controller_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "incarnation_id": {
                "type": "bytes",
                "doc": "UUID of the controller's process"
            },
            "zk_migration_ready": {
                "type": "kafka_boolean",
                "doc": "Whether it is configured for a migration from ZooKeeper"
            },
            "num_end_points": {
                "type": "kafka_array_length",
                "doc": "Number of `end_points`"
            },
            "end_points": {
                "type": "controller_endpoint[]",
                "doc": "Addresses, one for each listener"
            },
            "num_features": {
                "type": "kafka_array_length",
                "doc": "Number of `features`"
            },
            "features": {
                "type": "controller_feature[]",
                "doc": "Supported levels of features"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRegisterControllerRecord.ControllerEndpoint": {
        "doc": "Address of the controller",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the listener"
            },
            "host": {
                "type": "kafka_string",
                "doc": "Host name or IP address"
            },
            "port": {
                "type": "u2",
                "doc": "TCP port"
            },
            "security_protocol": {
                "type": "s2",
                "doc": "0: PLAINTEXT; 1: SSL; 2: SASL_PLAINTEXT; 3: SASL_SSL"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRegisterControllerRecord.ControllerFeature": {
        "doc": "Levels of a feature that the controller supports",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the feature"
            },
            "min_supported_version": {
                "type": "s2",
                "doc": "Lowest level"
            },
            "max_supported_version": {
                "type": "s2",
                "doc": "Highest level"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogMetadata": {
        "doc": "Value of a record in `__remote_log_metadata`, about segments in remote storage. Its key is null.",
        "fields": {
            "frame_version": {
                "type": "bytes",
                "doc": "Version of this frame"
            },
            "api_key": {
                "type": "kafka_unsigned_varint",
                "doc": "Which message it is, one of `record_type`"
            },
            "version": {
                "type": "kafka_unsigned_varint",
                "doc": "Version of the message's layout"
            },
            "message": {
                "type": "kafka_remote_log_segment_metadata_record or kafka_remote_log_segment_metadata_snapshot_record or kafka_remote_log_segment_metadata_update_record or kafka_remote_partition_delete_metadata_record",
                "doc": "The message; bytes if it is not known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord": {
        "doc": "A segment is being copied to remote storage.",
        "fields": {
            "remote_log_segment_id": {
                "type": "remote_log_segment_id_entry",
                "doc": "The partition, and the id of the copy"
            },
            "start_offset": {
                "type": "s8",
                "doc": "Offset of the first record"
            },
            "end_offset": {
                "type": "s8",
                "doc": "Offset of the last record"
            },
            "broker_id": {
                "type": "s4",
                "doc": "The `node.id` of the broker that copies it"
            },
            "max_timestamp_ms": {
                "type": "s8",
                "doc": "Largest timestamp of its records, in ms since 1970-01-01 UTC"
            },
            "event_timestamp_ms": {
                "type": "s8",
                "doc": "When the broker wrote this, in ms since 1970-01-01 UTC"
            },
            "num_segment_leader_epochs": {
                "type": "kafka_array_length",
                "doc": "Number of `segment_leader_epochs`"
            },
            "segment_leader_epochs": {
                "type": "segment_leader_epoch_entry[]",
                "doc": "Leader epochs in the segment"
            },
            "segment_size_in_bytes": {
                "type": "s4",
                "doc": "Size of the `.log` file"
            },
            "custom_metadata": {
                "type": "kafka_bytes",
                "doc": "Data of the plug-in that stores segments"
            },
            "remote_log_segment_state": {
                "type": "s1",
                "doc": "0: copying; 1: copied; 2: deleting; 3: deleted"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.RemoteLogSegmentIdEntry": {
        "doc": "A copy of a segment",
        "fields": {
            "topic_id_partition": {
                "type": "topic_id_partition_entry",
                "doc": "The partition, by name and id of its topic"
            },
            "id": {
                "type": "bytes",
                "doc": "UUID of the copy"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.TopicIdPartitionEntry": {
        "doc": "A partition, by name and id of its topic",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.SegmentLeaderEpochEntry": {
        "doc": "A leader epoch, and its first offset in the segment",
        "fields": {
            "leader_epoch": {
                "type": "s4",
                "doc": "Epoch of the partition's leader"
            },
            "offset": {
                "type": "s8",
                "doc": "First offset of the epoch in the segment"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "txn_index_empty_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataRecord.TxnIndexEmptyTag": {
        "doc": "Field of tag 0",
        "fields": {
            "txn_index_empty": {
                "type": "kafka_boolean",
                "doc": "Whether the segment has no aborted transactions"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataSnapshotRecord": {
        "doc": "A segment in remote storage, in the snapshots that brokers keep of this topic in files.",
        "fields": {
            "segment_id": {
                "type": "bytes",
                "doc": "UUID of the copy"
            },
            "start_offset": {
                "type": "s8",
                "doc": "Offset of the first record"
            },
            "end_offset": {
                "type": "s8",
                "doc": "Offset of the last record"
            },
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "max_timestamp_ms": {
                "type": "s8",
                "doc": "Largest timestamp of its records, in ms since 1970-01-01 UTC"
            },
            "event_timestamp_ms": {
                "type": "s8",
                "doc": "When the broker wrote this, in ms since 1970-01-01 UTC"
            },
            "num_segment_leader_epochs": {
                "type": "kafka_array_length",
                "doc": "Number of `segment_leader_epochs`"
            },
            "segment_leader_epochs": {
                "type": "segment_leader_epoch_entry[]",
                "doc": "Leader epochs in the segment"
            },
            "segment_size_in_bytes": {
                "type": "s4",
                "doc": "Size of the `.log` file"
            },
            "custom_metadata": {
                "type": "kafka_bytes",
                "doc": "Data of the plug-in that stores segments"
            },
            "remote_log_segment_state": {
                "type": "s1",
                "doc": "0: copying; 1: copied; 2: deleting; 3: deleted"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry": {
        "doc": "A leader epoch, and its first offset in the segment",
        "fields": {
            "leader_epoch": {
                "type": "s4",
                "doc": "Epoch of the partition's leader"
            },
            "offset": {
                "type": "s8",
                "doc": "First offset of the epoch in the segment"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataSnapshotRecord.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "txn_index_empty_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataSnapshotRecord.TxnIndexEmptyTag": {
        "doc": "Field of tag 0",
        "fields": {
            "txn_index_empty": {
                "type": "kafka_boolean",
                "doc": "Whether the segment has no aborted transactions"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataUpdateRecord": {
        "doc": "The state of a segment in remote storage changed.",
        "fields": {
            "remote_log_segment_id": {
                "type": "remote_log_segment_id_entry",
                "doc": "The partition, and the id of the copy"
            },
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "event_timestamp_ms": {
                "type": "s8",
                "doc": "When the broker wrote this, in ms since 1970-01-01 UTC"
            },
            "custom_metadata": {
                "type": "kafka_bytes",
                "doc": "Data of the plug-in that stores segments"
            },
            "remote_log_segment_state": {
                "type": "s1",
                "doc": "0: copying; 1: copied; 2: deleting; 3: deleted"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry": {
        "doc": "A copy of a segment",
        "fields": {
            "topic_id_partition": {
                "type": "topic_id_partition_entry",
                "doc": "The partition, by name and id of its topic"
            },
            "id": {
                "type": "bytes",
                "doc": "UUID of the copy"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry": {
        "doc": "A partition, by name and id of its topic",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemotePartitionDeleteMetadataRecord": {
        "doc": "A partition is to be deleted from remote storage.",
        "fields": {
            "topic_id_partition": {
                "type": "topic_id_partition_entry",
                "doc": "The partition, by name and id of its topic"
            },
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "event_timestamp_ms": {
                "type": "s8",
                "doc": "When the broker wrote this, in ms since 1970-01-01 UTC"
            },
            "remote_partition_delete_state": {
                "type": "s1",
                "doc": "0: marked; 1: deleting; 2: deleted"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry": {
        "doc": "A partition, by name and id of its topic",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoveAccessControlEntryRecord": {
        "doc": "An ACL was removed.",
        "fields": {
            "id": {
                "type": "bytes",
                "doc": "UUID of the ACL"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoveDelegationTokenRecord": {
        "doc": "A delegation token expired, or was made to expire.",
        "fields": {
            "token_id": {
                "type": "kafka_string",
                "doc": "Id of the token"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoveTopicRecord": {
        "doc": "A topic was deleted, with all its partitions.",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaRemoveUserScramCredentialRecord": {
        "doc": "The SCRAM credential of a user was removed.",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "The user"
            },
            "mechanism": {
                "type": "s1",
                "doc": "1: SCRAM-SHA-256; 2: SCRAM-SHA-512"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupCurrentMemberAssignmentKey": {
        "doc": "Key of the current assignment of a member of a share group.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaShareGroupCurrentMemberAssignmentValue": {
        "doc": "Current assignment of a member of a share group.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "member_epoch": {
                "type": "s4",
                "doc": "Epoch of the member, which it sends in its heartbeats"
            },
            "previous_member_epoch": {
                "type": "s4",
                "doc": "The epoch before; the member sends it again if the response with the new one was lost"
            },
            "state": {
                "type": "s1",
                "doc": "0: stable"
            },
            "num_assigned_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `assigned_partitions`"
            },
            "assigned_partitions": {
                "type": "topic_partitions[]",
                "doc": "Partitions that the member has, by topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupCurrentMemberAssignmentValue.TopicPartitions": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupMemberMetadataKey": {
        "doc": "Key of a member of a share group (KIP-932).",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaShareGroupMemberMetadataValue": {
        "doc": "A member of a share group (KIP-932), and its subscription.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "rack_id": {
                "type": "kafka_string",
                "doc": "The member's `client.rack`, if it is set"
            },
            "client_id": {
                "type": "kafka_string",
                "doc": "The member's `client.id`"
            },
            "client_host": {
                "type": "kafka_string",
                "doc": "Address from which the member connects"
            },
            "num_subscribed_topic_names": {
                "type": "kafka_array_length",
                "doc": "Number of `subscribed_topic_names`"
            },
            "subscribed_topic_names": {
                "type": "kafka_string[]",
                "doc": "Names of the topics that the member has subscribed to"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupMetadataKey": {
        "doc": "Key of a share group (KIP-932).",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaShareGroupMetadataValue": {
        "doc": "A share group (KIP-932).",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "epoch": {
                "type": "s4",
                "doc": "Epoch of the group, one more with each change of its members, their subscriptions or the topics"
            },
            "metadata_hash": {
                "type": "s8",
                "doc": "Hash of the topics that the group is subscribed to; another one once they have changed"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupStateKey": {
        "doc": "Key of a record in `__share_group_state`, by the type that it begins with. The record's value is a `kafka_share_group_state_value` of the same type.",
        "fields": {
            "type": {
                "type": "s2",
                "doc": "What the record is about, and with it the layout of the rest and of the value"
            },
            "message": {
                "type": "kafka_share_snapshot_key or kafka_share_update_key",
                "doc": "The message; bytes if it is not known"
            }
        }
    },
    "KafkaShareGroupStatePartitionMetadataKey": {
        "doc": "Key of the partitions for which a share group keeps state.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaShareGroupStatePartitionMetadataValue": {
        "doc": "Partitions for which a share group keeps state in `__share_group_state`.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_initializing_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `initializing_topics`"
            },
            "initializing_topics": {
                "type": "topic_partitions_info[]",
                "doc": "Partitions whose state is being made"
            },
            "num_initialized_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `initialized_topics`"
            },
            "initialized_topics": {
                "type": "topic_partitions_info[]",
                "doc": "Partitions that have state"
            },
            "num_deleting_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `deleting_topics`"
            },
            "deleting_topics": {
                "type": "topic_info[]",
                "doc": "Topics whose state is being deleted"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupStatePartitionMetadataValue.TopicPartitionsInfo": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "topic_name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupStatePartitionMetadataValue.TopicInfo": {
        "doc": "A topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "topic_name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupStateValue": {
        "doc": "Value of a record in `__share_group_state`. Only the key, a `kafka_share_group_state_key`, says which message it is.",
        "fields": {
            "message": {
                "type": "kafka_share_snapshot_value or kafka_share_update_value",
                "doc": "The message, which begins with its version; bytes if it is not known"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMemberKey": {
        "doc": "Key of the target assignment of a member of a share group.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMemberValue": {
        "doc": "Target assignment of a member of a share group.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_topic_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `topic_partitions`"
            },
            "topic_partitions": {
                "type": "topic_partition[]",
                "doc": "Partitions of a topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMemberValue.TopicPartition": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMetadataKey": {
        "doc": "Key of the epoch of a share group's assignment.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMetadataValue": {
        "doc": "Epoch of a share group's assignment.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "assignment_epoch": {
                "type": "s4",
                "doc": "Epoch of the group for which the assignment was computed"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "assignment_timestamp_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaShareGroupTargetAssignmentMetadataValue.AssignmentTimestampTag": {
        "doc": "Field of tag 0",
        "fields": {
            "assignment_timestamp": {
                "type": "s8",
                "doc": "When it was computed, in ms since 1970-01-01 UTC"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaShareSnapshotKey": {
        "doc": "Key of a share group's state for a partition.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            }
        }
    },
    "KafkaShareSnapshotValue": {
        "doc": "State of a share group for a partition (KIP-932), in place of the snapshot before it.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "snapshot_epoch": {
                "type": "s4",
                "doc": "Number of the snapshot"
            },
            "state_epoch": {
                "type": "s4",
                "doc": "Epoch of the group when the state was made"
            },
            "leader_epoch": {
                "type": "s4",
                "doc": "Leader epoch of the partition"
            },
            "start_offset": {
                "type": "s8",
                "doc": "All records below it are done"
            },
            "create_timestamp": {
                "type": "s8",
                "doc": "When the state was created, in ms since 1970-01-01 UTC"
            },
            "write_timestamp": {
                "type": "s8",
                "doc": "When the state was written, in ms since 1970-01-01 UTC"
            },
            "num_state_batches": {
                "type": "kafka_array_length",
                "doc": "Number of `state_batches`"
            },
            "state_batches": {
                "type": "state_batch[]",
                "doc": "States of records, by ranges of offsets"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaShareSnapshotValue.StateBatch": {
        "doc": "Records of the same state",
        "fields": {
            "first_offset": {
                "type": "s8",
                "doc": "Offset of the first of these records"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the last of these records"
            },
            "delivery_state": {
                "type": "s1",
                "doc": "0: available; 2: acknowledged; 4: archived, not delivered again"
            },
            "delivery_count": {
                "type": "s2",
                "doc": "How often they were delivered"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareSnapshotValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaShareSnapshotValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "delivery_complete_count_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaShareSnapshotValue.DeliveryCompleteCountTag": {
        "doc": "Field of tag 0",
        "fields": {
            "delivery_complete_count": {
                "type": "s4",
                "doc": "How many records at or above `start_offset` are done, -1 if that is not known"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaShareUpdateKey": {
        "doc": "Key of a change of a share group's state for a partition.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "partition": {
                "type": "s4",
                "doc": "Number of the partition"
            }
        }
    },
    "KafkaShareUpdateValue": {
        "doc": "Change of a share group's state for a partition since the snapshot before it.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "snapshot_epoch": {
                "type": "s4",
                "doc": "Number of the snapshot that it changes"
            },
            "leader_epoch": {
                "type": "s4",
                "doc": "Leader epoch of the partition"
            },
            "start_offset": {
                "type": "s8",
                "doc": "All records below it are done; -1 for no change"
            },
            "num_state_batches": {
                "type": "kafka_array_length",
                "doc": "Number of `state_batches`"
            },
            "state_batches": {
                "type": "state_batch[]",
                "doc": "States of records, by ranges of offsets"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaShareUpdateValue.StateBatch": {
        "doc": "Records of the same state",
        "fields": {
            "first_offset": {
                "type": "s8",
                "doc": "Offset of the first of these records"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the last of these records"
            },
            "delivery_state": {
                "type": "s1",
                "doc": "0: available; 2: acknowledged; 4: archived, not delivered again"
            },
            "delivery_count": {
                "type": "s2",
                "doc": "How often they were delivered"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaShareUpdateValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaShareUpdateValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "delivery_complete_count_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaShareUpdateValue.DeliveryCompleteCountTag": {
        "doc": "Field of tag 0",
        "fields": {
            "delivery_complete_count": {
                "type": "s4",
                "doc": "How many records at or above `start_offset` are done, -1 if that is not known"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaSnapshotFooterRecord": {
        "doc": "Value of the control record of type `snapshot_footer`, the last record of a snapshot of the metadata log (a `.checkpoint` file). A snapshot without one is incomplete.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaSnapshotHeaderRecord": {
        "doc": "Value of the control record of type `snapshot_header`, the first record of a snapshot of the metadata log (a `.checkpoint` file).",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "last_contained_log_timestamp": {
                "type": "s8",
                "doc": "Append time of the last record of the log that has gone into the snapshot, in ms since 1970-01-01 UTC; 0 in a snapshot that came before any log"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStickyAssignorUserData": {
        "doc": "What a consumer with the assignor `sticky` puts into the `user_data` of its `kafka_consumer_protocol_subscription`: what it got last. No version stands in front; later ones end with `generation`.",
        "fields": {
            "num_previous_assignment": {
                "type": "kafka_array_length",
                "doc": "Number of topics"
            },
            "previous_assignment": {
                "type": "topic_assignment[]",
                "doc": "Partitions that the consumer had, by topic"
            },
            "generation": {
                "type": "s4",
                "doc": "In which generation of the group it got them, -1 if in none"
            }
        }
    },
    "KafkaStickyAssignorUserData.TopicAssignment": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentKey": {
        "doc": "Key of the current assignment of a member of a streams group.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentValue": {
        "doc": "Current assignment of a member of a streams group, on its way to the target assignment.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "member_epoch": {
                "type": "s4",
                "doc": "Epoch of the member, which it sends in its heartbeats"
            },
            "previous_member_epoch": {
                "type": "s4",
                "doc": "The epoch before; the member sends it again if the response with the new one was lost"
            },
            "state": {
                "type": "s1",
                "doc": "0: stable; 1: it must give up tasks; 2: tasks assigned to it are not free yet"
            },
            "num_active_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `active_tasks`"
            },
            "active_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that process records"
            },
            "num_standby_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `standby_tasks`"
            },
            "standby_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that keep a copy of the state"
            },
            "num_warmup_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `warmup_tasks`"
            },
            "warmup_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that build up their state, to become active elsewhere"
            },
            "num_active_tasks_pending_revocation": {
                "type": "kafka_array_length",
                "doc": "Number of `active_tasks_pending_revocation`"
            },
            "active_tasks_pending_revocation": {
                "type": "task_ids[]",
                "doc": "Active tasks that the member must give up"
            },
            "num_standby_tasks_pending_revocation": {
                "type": "kafka_array_length",
                "doc": "Number of `standby_tasks_pending_revocation`"
            },
            "standby_tasks_pending_revocation": {
                "type": "task_ids[]",
                "doc": "Standby tasks that the member must give up"
            },
            "num_warmup_tasks_pending_revocation": {
                "type": "kafka_array_length",
                "doc": "Number of `warmup_tasks_pending_revocation`"
            },
            "warmup_tasks_pending_revocation": {
                "type": "task_ids[]",
                "doc": "Warm-up tasks that the member must give up"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentValue.TaskIds": {
        "doc": "Tasks of a part of the topology, one for each partition",
        "fields": {
            "subtopology_id": {
                "type": "kafka_string",
                "doc": "Id of the part of the topology"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "task_ids_tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentValue.TaskIdsTaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "task_ids_tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentValue.TaskIdsTaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "task_ids_assignment_epochs_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaStreamsGroupCurrentMemberAssignmentValue.TaskIdsAssignmentEpochsTag": {
        "doc": "Field of tag 0",
        "fields": {
            "num_assignment_epochs": {
                "type": "kafka_array_length",
                "doc": "Number of `assignment_epochs`"
            },
            "assignment_epochs": {
                "type": "s4[]",
                "doc": "For each active task, the epoch of the member in which it was assigned"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupMemberMetadataKey": {
        "doc": "Key of a member of a streams group.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaStreamsGroupMemberMetadataValue": {
        "doc": "A member of a streams group.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "instance_id": {
                "type": "kafka_string",
                "doc": "Id of a static member"
            },
            "rack_id": {
                "type": "kafka_string",
                "doc": "The member's `client.rack`, if it is set"
            },
            "client_id": {
                "type": "kafka_string",
                "doc": "The member's `client.id`"
            },
            "client_host": {
                "type": "kafka_string",
                "doc": "Address from which the member connects"
            },
            "rebalance_timeout_ms": {
                "type": "s4",
                "doc": "How long a rebalance waits for the member, in ms"
            },
            "topology_epoch": {
                "type": "s4",
                "doc": "Epoch of the topology that the member runs"
            },
            "process_id": {
                "type": "kafka_string",
                "doc": "UUID of the process, which may run several members"
            },
            "is_user_endpoint_present": {
                "type": "s1",
                "doc": "Negative if `user_endpoint` is null"
            },
            "user_endpoint": {
                "type": "endpoint",
                "doc": "Address at which the process answers queries of its state, if it does"
            },
            "num_client_tags": {
                "type": "kafka_array_length",
                "doc": "Number of `client_tags`"
            },
            "client_tags": {
                "type": "key_value[]",
                "doc": "Tags over which standby tasks are spread"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupMemberMetadataValue.Endpoint": {
        "doc": "Address at which a process answers queries",
        "fields": {
            "host": {
                "type": "kafka_string",
                "doc": "Host name or IP address"
            },
            "port": {
                "type": "u2",
                "doc": "TCP port"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupMemberMetadataValue.KeyValue": {
        "doc": "A tag",
        "fields": {
            "key": {
                "type": "kafka_string",
                "doc": "Name of the tag"
            },
            "value": {
                "type": "kafka_string",
                "doc": "Value of the tag"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupMetadataKey": {
        "doc": "Key of a streams group (KIP-1071).",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue": {
        "doc": "A streams group (KIP-1071).",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "epoch": {
                "type": "s4",
                "doc": "Epoch of the group, one more with each change of its members, their topology or the topics"
            },
            "metadata_hash": {
                "type": "s8",
                "doc": "Hash of the topics that the group reads; another one once they have changed"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "failed_description_topology_epoch_tag or last_assignment_configs_tag or stored_description_topology_epoch_tag or validated_topology_epoch_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.ValidatedTopologyEpochTag": {
        "doc": "Field of tag 0",
        "fields": {
            "validated_topology_epoch": {
                "type": "s4",
                "doc": "Epoch of the topology whose topics were found to exist as it needs them"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.LastAssignmentConfig": {
        "doc": "A configuration",
        "fields": {
            "key": {
                "type": "kafka_string",
                "doc": "Name of the configuration"
            },
            "value": {
                "type": "kafka_string",
                "doc": "Its value"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.LastAssignmentConfigsTag": {
        "doc": "Field of tag 1",
        "fields": {
            "num_last_assignment_configs": {
                "type": "kafka_array_length",
                "doc": "Number of `last_assignment_configs`"
            },
            "last_assignment_configs": {
                "type": "last_assignment_config[]",
                "doc": "Configuration with which the last assignment was computed"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.StoredDescriptionTopologyEpochTag": {
        "doc": "Field of tag 2",
        "fields": {
            "stored_description_topology_epoch": {
                "type": "s4",
                "doc": "Epoch of the topology whose description the topology description plugin stores; -1 if it stores none, -2 if an interrupted call leaves that unknown"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupMetadataValue.FailedDescriptionTopologyEpochTag": {
        "doc": "Field of tag 3",
        "fields": {
            "failed_description_topology_epoch": {
                "type": "s4",
                "doc": "Epoch of the topology whose description the plugin refused for good, so that no member is asked for it again; -1 if none"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMemberKey": {
        "doc": "Key of the target assignment of a member of a streams group.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            },
            "member_id": {
                "type": "kafka_string",
                "doc": "Id of the member"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMemberValue": {
        "doc": "Target assignment of a member of a streams group.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_active_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `active_tasks`"
            },
            "active_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that process records"
            },
            "num_standby_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `standby_tasks`"
            },
            "standby_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that keep a copy of the state"
            },
            "num_warmup_tasks": {
                "type": "kafka_array_length",
                "doc": "Number of `warmup_tasks`"
            },
            "warmup_tasks": {
                "type": "task_ids[]",
                "doc": "Tasks that build up their state, to become active elsewhere"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMemberValue.TaskIds": {
        "doc": "Tasks of a part of the topology, one for each partition",
        "fields": {
            "subtopology_id": {
                "type": "kafka_string",
                "doc": "Id of the part of the topology"
            },
            "num_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `partitions`"
            },
            "partitions": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMetadataKey": {
        "doc": "Key of the epoch of a streams group's target assignment.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMetadataValue": {
        "doc": "Epoch of a streams group's target assignment.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "assignment_epoch": {
                "type": "s4",
                "doc": "Epoch of the group for which the assignment was computed"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMetadataValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "assignment_timestamp_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaStreamsGroupTargetAssignmentMetadataValue.AssignmentTimestampTag": {
        "doc": "Field of tag 0",
        "fields": {
            "assignment_timestamp": {
                "type": "s8",
                "doc": "When it was computed, in ms since 1970-01-01 UTC"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaStreamsGroupTopologyKey": {
        "doc": "Key of the topology that a streams group runs.",
        "fields": {
            "group_id": {
                "type": "kafka_string",
                "doc": "The group's `group.id`"
            }
        }
    },
    "KafkaStreamsGroupTopologyValue": {
        "doc": "Topology that a streams group runs.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "epoch": {
                "type": "s4",
                "doc": "Epoch of the topology"
            },
            "num_subtopologies": {
                "type": "kafka_array_length",
                "doc": "Number of `subtopologies`"
            },
            "subtopologies": {
                "type": "subtopology[]",
                "doc": "Parts of the topology"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTopologyValue.Subtopology": {
        "doc": "Part of a topology that shares no state with the others; it has a task for each partition number of the topics that it reads",
        "fields": {
            "subtopology_id": {
                "type": "kafka_string",
                "doc": "Id of the part of the topology"
            },
            "num_source_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `source_topics`"
            },
            "source_topics": {
                "type": "kafka_string[]",
                "doc": "Topics that are read"
            },
            "num_source_topic_regex": {
                "type": "kafka_array_length",
                "doc": "Number of `source_topic_regex`"
            },
            "source_topic_regex": {
                "type": "kafka_string[]",
                "doc": "Regular expressions for topics that are read"
            },
            "num_state_changelog_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `state_changelog_topics`"
            },
            "state_changelog_topics": {
                "type": "topic_info[]",
                "doc": "Internal topics that keep its state"
            },
            "num_repartition_sink_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `repartition_sink_topics`"
            },
            "repartition_sink_topics": {
                "type": "kafka_string[]",
                "doc": "Internal topics that it writes"
            },
            "num_repartition_source_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `repartition_source_topics`"
            },
            "repartition_source_topics": {
                "type": "topic_info[]",
                "doc": "Internal topics that it reads"
            },
            "num_copartition_groups": {
                "type": "kafka_array_length",
                "doc": "Number of `copartition_groups`"
            },
            "copartition_groups": {
                "type": "copartition_group[]",
                "doc": "Which of the topics must have the same number of partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTopologyValue.TopicInfo": {
        "doc": "A topic",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "partitions": {
                "type": "s4",
                "doc": "Number of partitions; 0 if the broker decides"
            },
            "replication_factor": {
                "type": "s2",
                "doc": "Number of replicas; 0 for the cluster's default"
            },
            "num_topic_configs": {
                "type": "kafka_array_length",
                "doc": "Number of `topic_configs`"
            },
            "topic_configs": {
                "type": "topic_config[]",
                "doc": "Configurations of the topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTopologyValue.TopicConfig": {
        "doc": "A configuration of a topic",
        "fields": {
            "key": {
                "type": "kafka_string",
                "doc": "Name of the configuration"
            },
            "value": {
                "type": "kafka_string",
                "doc": "Its value"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaStreamsGroupTopologyValue.CopartitionGroup": {
        "doc": "Topics that must have the same number of partitions, by their places in the lists of the part",
        "fields": {
            "num_source_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `source_topics`"
            },
            "source_topics": {
                "type": "s2[]",
                "doc": "Topics that are read"
            },
            "num_source_topic_regex": {
                "type": "kafka_array_length",
                "doc": "Number of `source_topic_regex`"
            },
            "source_topic_regex": {
                "type": "s2[]",
                "doc": "Regular expressions for topics that are read"
            },
            "num_repartition_source_topics": {
                "type": "kafka_array_length",
                "doc": "Number of `repartition_source_topics`"
            },
            "repartition_source_topics": {
                "type": "s2[]",
                "doc": "Internal topics that are read"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaString": {
        "doc": "`STRING` or `NULLABLE_STRING` of the Kafka protocol, or, in those versions of a message that have tagged fields, `COMPACT_STRING` or `COMPACT_NULLABLE_STRING` (KIP-482).",
        "fields": {
            "len_value_int16": {
                "type": "s2",
                "doc": "Size of the string in bytes, below zero for null"
            },
            "len_value_plus_one": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of the string in bytes and one more, so 1 for an empty one; 0 for null"
            },
            "value": {
                "type": "bytes",
                "doc": "Text in UTF-8, which nobody checks: what is not UTF-8 comes out of Java with U+FFFD in its place. So it is left as bytes here. Missing if null."
            }
        }
    },
    "KafkaTaggedFields": {
        "doc": "Optional fields at the end of a message, or of a structure in it (KIP-482). A reader that does not know a tag passes over the field by its size. So a newer Kafka may add fields without a new version of the message.",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of tagged fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "field[]",
                "doc": "The tagged fields, in ascending order of their tags"
            }
        }
    },
    "KafkaTaggedFields.Field": {
        "doc": "A field whose meaning the message's schema tells by `tag`",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field; each message and structure has its own"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "bytes",
                "doc": "The field itself, laid out as the message's schema tells"
            }
        }
    },
    "KafkaTimeIndex": {
        "doc": "The greatest timestamp up to an offset in the `kafka_log_segment` of the same name, since Kafka 0.10.1 (KIP-33). Timestamps and offsets rise from entry to entry, although those of the records need not. Records without a timestamp, such as all of message format 0, have no entries. Kafka may add an entry together with one of the `kafka_offset_index`, and adds the last one when the segment is full or is closed.\n\nWhile a broker writes to a segment its index is preallocated to its full size, so that entries of zeros follow the last real one. They are cut off when the segment is full or on a clean shutdown, but remain after a crash. Only the first entry may really be zero: a record of 1970 at the segment's first offset.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Entries in use, then entries of zeros if the file is preallocated"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Empty, or an incomplete entry; Kafka ignores it"
            }
        }
    },
    "KafkaTimeIndex.Entry": {
        "doc": "Any record of the segment with a later timestamp has a greater offset.",
        "fields": {
            "timestamp": {
                "type": "s8",
                "doc": "Greatest timestamp in the segment so far, in milliseconds since 1970-01-01 UTC"
            },
            "relative_offset": {
                "type": "s4",
                "doc": "Offset minus the segment's base offset (its file name). The offset is that of the record with that timestamp, or of the last record in its batch."
            }
        }
    },
    "KafkaTopicRecord": {
        "doc": "A topic was created. Its partitions follow, as a `kafka_partition_record` each.",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "topic_id": {
                "type": "bytes",
                "doc": "UUID of the topic"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaTransactionIndex": {
        "doc": "The transactions whose abort marker is in the `kafka_log_segment` of the same name, in the order of the markers (KIP-98). Brokers send these with the records to consumers that read committed data only, which skip the records of these transactions. The file does not exist before the first abort in a segment. It is not preallocated.",
        "fields": {
            "entries": {
                "type": "entry[]",
                "doc": "Aborted transactions in the order of their markers"
            },
            "truncated": {
                "type": "bytes to the end",
                "doc": "Empty, or an incomplete entry; Kafka ignores it"
            }
        }
    },
    "KafkaTransactionIndex.Entry": {
        "doc": "A transaction that was aborted",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of the entry's layout, 0 so far. Kafka refuses later versions"
            },
            "producer_id": {
                "type": "s8",
                "doc": "Producer of the transaction"
            },
            "first_offset": {
                "type": "s8",
                "doc": "First offset of the transaction in the partition, which may be in an earlier segment"
            },
            "last_offset": {
                "type": "s8",
                "doc": "Offset of the abort marker"
            },
            "last_stable_offset": {
                "type": "s8",
                "doc": "Last stable offset after the abort: the first offset of the earliest transaction that was still open, or the offset after the marker if none was."
            }
        }
    },
    "KafkaTransactionLogKey": {
        "doc": "Key of a transactional id.",
        "fields": {
            "transactional_id": {
                "type": "kafka_string",
                "doc": "The producer's `transactional.id`"
            }
        }
    },
    "KafkaTransactionLogValue": {
        "doc": "State of a transactional id and its transaction.",
        "fields": {
            "message_version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "producer_id": {
                "type": "s8",
                "doc": "Id of the producer, as in the headers of its batches"
            },
            "producer_epoch": {
                "type": "s2",
                "doc": "Epoch of the producer; those with an older one are fenced"
            },
            "transaction_timeout_ms": {
                "type": "s4",
                "doc": "Time after which the broker aborts the transaction, in ms"
            },
            "transaction_status": {
                "type": "s1",
                "doc": "0: empty; 1: ongoing; 2: to be committed; 3: to be aborted; 4: committed; 5: aborted; 6: dead; 7: to be fenced"
            },
            "num_transaction_partitions": {
                "type": "kafka_array_length",
                "doc": "Number of `transaction_partitions`"
            },
            "transaction_partitions": {
                "type": "partitions_schema[]",
                "doc": "Partitions that take part; null if there is no transaction"
            },
            "transaction_last_update_timestamp_ms": {
                "type": "s8",
                "doc": "When the state was last changed, in ms since 1970-01-01 UTC"
            },
            "transaction_start_timestamp_ms": {
                "type": "s8",
                "doc": "When the transaction began, in ms since 1970-01-01 UTC, -1 if none has begun"
            },
            "tagged_fields": {
                "type": "tagged_fields",
                "doc": "Fields that may be missing"
            }
        }
    },
    "KafkaTransactionLogValue.PartitionsSchema": {
        "doc": "Partitions of a topic",
        "fields": {
            "topic": {
                "type": "kafka_string",
                "doc": "Name of the topic"
            },
            "num_partition_ids": {
                "type": "kafka_array_length",
                "doc": "Number of `partition_ids`"
            },
            "partition_ids": {
                "type": "s4[]",
                "doc": "Numbers of its partitions"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaTransactionLogValue.TaggedFields": {
        "doc": "Fields that may be missing (KIP-482)",
        "fields": {
            "num_fields": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of fields. To Kafka a negative one is an error since 4.4"
            },
            "fields": {
                "type": "tagged_field[]",
                "doc": "The fields, in ascending order of their tags"
            }
        }
    },
    "KafkaTransactionLogValue.TaggedField": {
        "doc": "A field that may be missing",
        "fields": {
            "tag": {
                "type": "kafka_unsigned_varint",
                "doc": "Number of the field"
            },
            "len_data": {
                "type": "kafka_unsigned_varint",
                "doc": "Size of `data` in bytes"
            },
            "data": {
                "type": "client_transaction_version_tag or next_producer_epoch_tag or next_producer_id_tag or previous_producer_id_tag",
                "doc": "The field itself, or bytes if its tag is not known"
            }
        }
    },
    "KafkaTransactionLogValue.PreviousProducerIdTag": {
        "doc": "Field of tag 0",
        "fields": {
            "previous_producer_id": {
                "type": "s8",
                "doc": "Producer id of the last committed transaction, -1 if there is none (KIP-890)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaTransactionLogValue.NextProducerIdTag": {
        "doc": "Field of tag 1",
        "fields": {
            "next_producer_id": {
                "type": "s8",
                "doc": "Producer id after this transaction, -1 if there is none (KIP-890)"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaTransactionLogValue.NextProducerEpochTag": {
        "doc": "Field of tag 3",
        "fields": {
            "next_producer_epoch": {
                "type": "s2",
                "doc": "Epoch of `next_producer_id`"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaTransactionLogValue.ClientTransactionVersionTag": {
        "doc": "Field of tag 2",
        "fields": {
            "client_transaction_version": {
                "type": "s2",
                "doc": "Version of the feature `transaction.version` that the client uses"
            },
            "rest": {
                "type": "bytes",
                "doc": "Nothing, as the field is as large as it tells"
            }
        }
    },
    "KafkaTransactionStateKey": {
        "doc": "Key of a record in `__transaction_state`, by the type that it begins with.",
        "fields": {
            "type": {
                "type": "s2",
                "doc": "What the record is about, and with it the layout of the rest and of the value"
            },
            "message": {
                "type": "kafka_transaction_log_key",
                "doc": "The message; bytes if it is not known"
            }
        }
    },
    "KafkaTransactionStateValue": {
        "doc": "Value of a record in `__transaction_state` whose key is a `kafka_transaction_state_key`.",
        "fields": {
            "message": {
                "type": "kafka_transaction_log_value",
                "doc": "The message, which begins with its version; bytes if it is not known"
            }
        }
    },
    "KafkaUnfenceBrokerRecord": {
        "doc": "A broker was unfenced. Since 3.3 Kafka writes a `kafka_broker_registration_change_record` instead.",
        "fields": {
            "id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "epoch": {
                "type": "s8",
                "doc": "Epoch of the broker's registration"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaUnregisterBrokerRecord": {
        "doc": "A broker was removed from the cluster.",
        "fields": {
            "broker_id": {
                "type": "s4",
                "doc": "The broker's `node.id`"
            },
            "broker_epoch": {
                "type": "s8",
                "doc": "Epoch of the broker's registration"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaUnregisterControllerRecord": {
        "doc": "A controller's registration was removed (Kafka 4.4).",
        "fields": {
            "controller_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaUnsignedVarint": {
        "doc": "`UNSIGNED_VARINT` of the Kafka protocol: an integer cut into groups of 7 bits, the least significant group first, and the top bit of each byte tells whether another one follows. It is not \"zigzag\" as a `kafka_varint` is.\n\nThere are at most 5 bytes, and it is an error if the last of them has its top bit set. Bits of it that are too many for 32 bits are dropped, as Kafka does. A number may take more bytes than it needs.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaUserScramCredentialRecord": {
        "doc": "SCRAM credential of a user (RFC 5802). It is a secret, with which an attacker can pose as the broker and try passwords.",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "The user"
            },
            "mechanism": {
                "type": "s1",
                "doc": "1: SCRAM-SHA-256; 2: SCRAM-SHA-512"
            },
            "salt": {
                "type": "kafka_bytes",
                "doc": "Salt of the password's hash"
            },
            "stored_key": {
                "type": "kafka_bytes",
                "doc": "Hash with which the user's proof is checked"
            },
            "server_key": {
                "type": "kafka_bytes",
                "doc": "Key with which the broker proves itself"
            },
            "iterations": {
                "type": "s4",
                "doc": "How often the password was hashed"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaVarint": {
        "doc": "Signed 32-bit integer as a \"zigzag\" number, in which 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. It is divided into groups of 7 bits, the least significant group first, and the top bit of each byte says whether another byte follows. There are at most 5 bytes, and a top bit set in the fifth is an error. Bits beyond 32 are dropped, as by Kafka. A number may take more bytes than it needs.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaVarlong": {
        "doc": "Signed 64-bit integer as a \"zigzag\" number, in which 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. It is divided into groups of 7 bits, the least significant group first, and the top bit of each byte says whether another byte follows. There are at most 10 bytes, and a top bit set in the tenth is an error. Bits beyond 64 are dropped, as by Kafka. A number may take more bytes than it needs.\n\nIn languages that have only floating point numbers, such as JavaScript, the value is exact up to 53 bits.",
        "fields": {
            "b0": {
                "type": "u1",
                "doc": ""
            },
            "b1": {
                "type": "u1",
                "doc": ""
            },
            "b2": {
                "type": "u1",
                "doc": ""
            },
            "b3": {
                "type": "u1",
                "doc": ""
            },
            "b4": {
                "type": "u1",
                "doc": ""
            },
            "b5": {
                "type": "u1",
                "doc": ""
            },
            "b6": {
                "type": "u1",
                "doc": ""
            },
            "b7": {
                "type": "u1",
                "doc": ""
            },
            "b8": {
                "type": "u1",
                "doc": ""
            },
            "b9": {
                "type": "u1",
                "doc": ""
            }
        }
    },
    "KafkaVotersRecord": {
        "doc": "Value of the control record of type `kraft_voters` in the metadata log and its snapshots. It has all controllers that vote, and replaces the one before it.",
        "fields": {
            "version": {
                "type": "s2",
                "doc": "Version of this message's layout"
            },
            "num_voters": {
                "type": "kafka_array_length",
                "doc": "Number of `voters`"
            },
            "voters": {
                "type": "voter[]",
                "doc": "All controllers that vote"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaVotersRecord.Voter": {
        "doc": "A controller that votes",
        "fields": {
            "voter_id": {
                "type": "s4",
                "doc": "The controller's `node.id`"
            },
            "voter_directory_id": {
                "type": "bytes",
                "doc": "UUID of the directory that holds the controller's metadata log, the `directory.id` of its `meta.properties`. With another disk the same node is another voter. All zeros if unknown."
            },
            "num_endpoints": {
                "type": "kafka_array_length",
                "doc": "Number of `endpoints`"
            },
            "endpoints": {
                "type": "endpoint[]",
                "doc": "Addresses of the voter, one for each listener"
            },
            "kraft_version_feature": {
                "type": "kraft_version_feature",
                "doc": "Versions of the Raft protocol that the voter supports"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaVotersRecord.Endpoint": {
        "doc": "Address of a voter",
        "fields": {
            "name": {
                "type": "kafka_string",
                "doc": "Name of the listener, one of `controller.listener.names`"
            },
            "host": {
                "type": "kafka_string",
                "doc": "Host name or IP address"
            },
            "port": {
                "type": "u2",
                "doc": "TCP port"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaVotersRecord.KraftVersionFeature": {
        "doc": "Versions of the feature `kraft.version` that a voter supports",
        "fields": {
            "min_supported_version": {
                "type": "s2",
                "doc": "Lowest version that the voter supports"
            },
            "max_supported_version": {
                "type": "s2",
                "doc": "Highest version that the voter supports"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    },
    "KafkaZkMigrationStateRecord": {
        "doc": "State of the migration from ZooKeeper.",
        "fields": {
            "zk_migration_state": {
                "type": "s1",
                "doc": "0: none; 1: under way; 2: not begun yet; 3: completed; 4: not asked for yet"
            },
            "tagged_fields": {
                "type": "kafka_tagged_fields",
                "doc": "None is known"
            }
        }
    }
}

ENUMS = {
    "AivenCustomMetadata.FieldTag": {
        "0": {
            "id": "remote_size",
            "doc": "Size of the three objects of the segment together, in bytes"
        },
        "1": {
            "id": "object_prefix",
            "doc": "Prefix of the keys of its objects"
        },
        "2": {
            "id": "object_key",
            "doc": "The rest of their keys, without the suffix"
        }
    },
    "KafkaConsumerOffsetsKey.RecordType": {
        "0": {
            "id": "legacy_offset_commit",
            "doc": "A `kafka_legacy_offset_commit_key`"
        },
        "1": {
            "id": "offset_commit",
            "doc": "A `kafka_offset_commit_key`"
        },
        "2": {
            "id": "group_metadata",
            "doc": "A `kafka_group_metadata_key`"
        },
        "3": {
            "id": "consumer_group_metadata",
            "doc": "A `kafka_consumer_group_metadata_key`"
        },
        "4": {
            "id": "consumer_group_partition_metadata",
            "doc": "A `kafka_consumer_group_partition_metadata_key`"
        },
        "5": {
            "id": "consumer_group_member_metadata",
            "doc": "A `kafka_consumer_group_member_metadata_key`"
        },
        "6": {
            "id": "consumer_group_target_assignment_metadata",
            "doc": "A `kafka_consumer_group_target_assignment_metadata_key`"
        },
        "7": {
            "id": "consumer_group_target_assignment_member",
            "doc": "A `kafka_consumer_group_target_assignment_member_key`"
        },
        "8": {
            "id": "consumer_group_current_member_assignment",
            "doc": "A `kafka_consumer_group_current_member_assignment_key`"
        },
        "10": {
            "id": "share_group_member_metadata",
            "doc": "A `kafka_share_group_member_metadata_key`"
        },
        "11": {
            "id": "share_group_metadata",
            "doc": "A `kafka_share_group_metadata_key`"
        },
        "12": {
            "id": "share_group_target_assignment_metadata",
            "doc": "A `kafka_share_group_target_assignment_metadata_key`"
        },
        "13": {
            "id": "share_group_target_assignment_member",
            "doc": "A `kafka_share_group_target_assignment_member_key`"
        },
        "14": {
            "id": "share_group_current_member_assignment",
            "doc": "A `kafka_share_group_current_member_assignment_key`"
        },
        "15": {
            "id": "share_group_state_partition_metadata",
            "doc": "A `kafka_share_group_state_partition_metadata_key`"
        },
        "16": {
            "id": "consumer_group_regular_expression",
            "doc": "A `kafka_consumer_group_regular_expression_key`"
        },
        "17": {
            "id": "streams_group_metadata",
            "doc": "A `kafka_streams_group_metadata_key`"
        },
        "19": {
            "id": "streams_group_member_metadata",
            "doc": "A `kafka_streams_group_member_metadata_key`"
        },
        "20": {
            "id": "streams_group_target_assignment_metadata",
            "doc": "A `kafka_streams_group_target_assignment_metadata_key`"
        },
        "21": {
            "id": "streams_group_target_assignment_member",
            "doc": "A `kafka_streams_group_target_assignment_member_key`"
        },
        "22": {
            "id": "streams_group_current_member_assignment",
            "doc": "A `kafka_streams_group_current_member_assignment_key`"
        },
        "23": {
            "id": "streams_group_topology",
            "doc": "A `kafka_streams_group_topology_key`"
        }
    },
    "KafkaConsumerOffsetsValue.RecordType": {
        "0": {
            "id": "legacy_offset_commit",
            "doc": "A `kafka_legacy_offset_commit_value`"
        },
        "1": {
            "id": "offset_commit",
            "doc": "A `kafka_offset_commit_value`"
        },
        "2": {
            "id": "group_metadata",
            "doc": "A `kafka_group_metadata_value`"
        },
        "3": {
            "id": "consumer_group_metadata",
            "doc": "A `kafka_consumer_group_metadata_value`"
        },
        "4": {
            "id": "consumer_group_partition_metadata",
            "doc": "A `kafka_consumer_group_partition_metadata_value`"
        },
        "5": {
            "id": "consumer_group_member_metadata",
            "doc": "A `kafka_consumer_group_member_metadata_value`"
        },
        "6": {
            "id": "consumer_group_target_assignment_metadata",
            "doc": "A `kafka_consumer_group_target_assignment_metadata_value`"
        },
        "7": {
            "id": "consumer_group_target_assignment_member",
            "doc": "A `kafka_consumer_group_target_assignment_member_value`"
        },
        "8": {
            "id": "consumer_group_current_member_assignment",
            "doc": "A `kafka_consumer_group_current_member_assignment_value`"
        },
        "10": {
            "id": "share_group_member_metadata",
            "doc": "A `kafka_share_group_member_metadata_value`"
        },
        "11": {
            "id": "share_group_metadata",
            "doc": "A `kafka_share_group_metadata_value`"
        },
        "12": {
            "id": "share_group_target_assignment_metadata",
            "doc": "A `kafka_share_group_target_assignment_metadata_value`"
        },
        "13": {
            "id": "share_group_target_assignment_member",
            "doc": "A `kafka_share_group_target_assignment_member_value`"
        },
        "14": {
            "id": "share_group_current_member_assignment",
            "doc": "A `kafka_share_group_current_member_assignment_value`"
        },
        "15": {
            "id": "share_group_state_partition_metadata",
            "doc": "A `kafka_share_group_state_partition_metadata_value`"
        },
        "16": {
            "id": "consumer_group_regular_expression",
            "doc": "A `kafka_consumer_group_regular_expression_value`"
        },
        "17": {
            "id": "streams_group_metadata",
            "doc": "A `kafka_streams_group_metadata_value`"
        },
        "19": {
            "id": "streams_group_member_metadata",
            "doc": "A `kafka_streams_group_member_metadata_value`"
        },
        "20": {
            "id": "streams_group_target_assignment_metadata",
            "doc": "A `kafka_streams_group_target_assignment_metadata_value`"
        },
        "21": {
            "id": "streams_group_target_assignment_member",
            "doc": "A `kafka_streams_group_target_assignment_member_value`"
        },
        "22": {
            "id": "streams_group_current_member_assignment",
            "doc": "A `kafka_streams_group_current_member_assignment_value`"
        },
        "23": {
            "id": "streams_group_topology",
            "doc": "A `kafka_streams_group_topology_value`"
        }
    },
    "KafkaControlRecordKey.ControlRecordType": {
        "0": {
            "id": "abort",
            "doc": "A transaction of the batch's producer was aborted; the value is a `kafka_end_transaction_marker`."
        },
        "1": {
            "id": "commit",
            "doc": "A transaction of the batch's producer was committed; the value is a `kafka_end_transaction_marker`."
        },
        "2": {
            "id": "leader_change",
            "doc": "A leader of the metadata log was elected; the value is a `kafka_leader_change_message` (KIP-595)."
        },
        "3": {
            "id": "snapshot_header",
            "doc": "First record of a snapshot; the value is a `kafka_snapshot_header_record` (KIP-630)."
        },
        "4": {
            "id": "snapshot_footer",
            "doc": "Last record of a snapshot; the value is a `kafka_snapshot_footer_record` (KIP-630)."
        },
        "5": {
            "id": "kraft_version",
            "doc": "Version of the Raft protocol; the value is a `kafka_kraft_version_record` (KIP-853)."
        },
        "6": {
            "id": "kraft_voters",
            "doc": "The voters of the metadata quorum; the value is a `kafka_voters_record` (KIP-853)."
        }
    },
    "KafkaControlRecordValue.ControlRecordType": {
        "2": {
            "id": "leader_change",
            "doc": "A `kafka_leader_change_message`"
        },
        "3": {
            "id": "snapshot_header",
            "doc": "A `kafka_snapshot_header_record`"
        },
        "4": {
            "id": "snapshot_footer",
            "doc": "A `kafka_snapshot_footer_record`"
        },
        "5": {
            "id": "kraft_version",
            "doc": "A `kafka_kraft_version_record`"
        },
        "6": {
            "id": "kraft_voters",
            "doc": "A `kafka_voters_record`"
        }
    },
    "KafkaMessage.Compression": {
        "0": {
            "id": "none",
            "doc": "A single message, not a wrapper"
        },
        "1": {
            "id": "gzip",
            "doc": "A wrapper of messages compressed with gzip"
        },
        "2": {
            "id": "snappy",
            "doc": "A wrapper of messages compressed with Snappy, mostly in the xerial library's framing"
        },
        "3": {
            "id": "lz4",
            "doc": "A wrapper of messages in LZ4 frames"
        },
        "4": {
            "id": "zstd",
            "doc": "Only in format 2, not valid here"
        }
    },
    "KafkaMessage.TimestampType": {
        "0": {
            "id": "create_time",
            "doc": "The time at which the producer made the message, or a time that it set"
        },
        "1": {
            "id": "log_append_time",
            "doc": "The time at which the broker appended the message"
        }
    },
    "KafkaMetadataRecord.RecordType": {
        "0": {
            "id": "register_broker_record",
            "doc": "A `kafka_register_broker_record`"
        },
        "1": {
            "id": "unregister_broker_record",
            "doc": "A `kafka_unregister_broker_record`"
        },
        "2": {
            "id": "topic_record",
            "doc": "A `kafka_topic_record`"
        },
        "3": {
            "id": "partition_record",
            "doc": "A `kafka_partition_record`"
        },
        "4": {
            "id": "config_record",
            "doc": "A `kafka_config_record`"
        },
        "5": {
            "id": "partition_change_record",
            "doc": "A `kafka_partition_change_record`"
        },
        "7": {
            "id": "fence_broker_record",
            "doc": "A `kafka_fence_broker_record`"
        },
        "8": {
            "id": "unfence_broker_record",
            "doc": "A `kafka_unfence_broker_record`"
        },
        "9": {
            "id": "remove_topic_record",
            "doc": "A `kafka_remove_topic_record`"
        },
        "10": {
            "id": "delegation_token_record",
            "doc": "A `kafka_delegation_token_record`"
        },
        "11": {
            "id": "user_scram_credential_record",
            "doc": "A `kafka_user_scram_credential_record`"
        },
        "12": {
            "id": "feature_level_record",
            "doc": "A `kafka_feature_level_record`"
        },
        "14": {
            "id": "client_quota_record",
            "doc": "A `kafka_client_quota_record`"
        },
        "15": {
            "id": "producer_ids_record",
            "doc": "A `kafka_producer_ids_record`"
        },
        "17": {
            "id": "broker_registration_change_record",
            "doc": "A `kafka_broker_registration_change_record`"
        },
        "18": {
            "id": "access_control_entry_record",
            "doc": "A `kafka_access_control_entry_record`"
        },
        "19": {
            "id": "remove_access_control_entry_record",
            "doc": "A `kafka_remove_access_control_entry_record`"
        },
        "20": {
            "id": "no_op_record",
            "doc": "A `kafka_no_op_record`"
        },
        "21": {
            "id": "zk_migration_state_record",
            "doc": "A `kafka_zk_migration_state_record`"
        },
        "22": {
            "id": "remove_user_scram_credential_record",
            "doc": "A `kafka_remove_user_scram_credential_record`"
        },
        "23": {
            "id": "begin_transaction_record",
            "doc": "A `kafka_begin_transaction_record`"
        },
        "24": {
            "id": "end_transaction_record",
            "doc": "A `kafka_end_transaction_record`"
        },
        "25": {
            "id": "abort_transaction_record",
            "doc": "A `kafka_abort_transaction_record`"
        },
        "26": {
            "id": "remove_delegation_token_record",
            "doc": "A `kafka_remove_delegation_token_record`"
        },
        "27": {
            "id": "register_controller_record",
            "doc": "A `kafka_register_controller_record`"
        },
        "28": {
            "id": "clear_elr_record",
            "doc": "A `kafka_clear_elr_record`"
        },
        "29": {
            "id": "unregister_controller_record",
            "doc": "A `kafka_unregister_controller_record`"
        }
    },
    "KafkaRecordBatch.Compression": {
        "0": {
            "id": "none",
            "doc": "Not compressed"
        },
        "1": {
            "id": "gzip",
            "doc": "The gzip format"
        },
        "2": {
            "id": "snappy",
            "doc": "Snappy, in the framing of the xerial library if a Java client wrote it"
        },
        "3": {
            "id": "lz4",
            "doc": "LZ4 frames"
        },
        "4": {
            "id": "zstd",
            "doc": "Since Kafka 2.1 (KIP-110)"
        }
    },
    "KafkaRecordBatch.TimestampType": {
        "0": {
            "id": "create_time",
            "doc": "The time at which the producer made the record, or a time that it set"
        },
        "1": {
            "id": "log_append_time",
            "doc": "The time at which the broker appended the batch"
        }
    },
    "KafkaRemoteLogMetadata.RecordType": {
        "0": {
            "id": "remote_log_segment_metadata_record",
            "doc": "A `kafka_remote_log_segment_metadata_record`"
        },
        "1": {
            "id": "remote_log_segment_metadata_update_record",
            "doc": "A `kafka_remote_log_segment_metadata_update_record`"
        },
        "2": {
            "id": "remote_partition_delete_metadata_record",
            "doc": "A `kafka_remote_partition_delete_metadata_record`"
        },
        "3": {
            "id": "remote_log_segment_metadata_snapshot_record",
            "doc": "A `kafka_remote_log_segment_metadata_snapshot_record`"
        }
    },
    "KafkaShareGroupStateKey.RecordType": {
        "0": {
            "id": "share_snapshot",
            "doc": "A `kafka_share_snapshot_key`"
        },
        "1": {
            "id": "share_update",
            "doc": "A `kafka_share_update_key`"
        }
    },
    "KafkaShareGroupStateValue.RecordType": {
        "0": {
            "id": "share_snapshot",
            "doc": "A `kafka_share_snapshot_value`"
        },
        "1": {
            "id": "share_update",
            "doc": "A `kafka_share_update_value`"
        }
    },
    "KafkaTransactionStateKey.RecordType": {
        "0": {
            "id": "transaction_log",
            "doc": "A `kafka_transaction_log_key`"
        }
    },
    "KafkaTransactionStateValue.RecordType": {
        "0": {
            "id": "transaction_log",
            "doc": "A `kafka_transaction_log_value`"
        }
    }
}
