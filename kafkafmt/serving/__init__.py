"""`kafkafmt serve`: a read-only broker over disks, with a module for each API or group of APIs."""
