"""`kafkafmt serve`: a read-only broker over disks. A module for each API or group of APIs."""
