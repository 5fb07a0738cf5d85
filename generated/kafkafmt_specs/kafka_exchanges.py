# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import kafka_api
from . import kafka_request
from . import kafka_response


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class KafkaExchanges(KaitaiStruct):
    """Requests, each followed by the response to it: a recorded connection, with both
    directions in one file. A response does not say which API and version it is of;
    so it can only be read beside its request.
    
    .. seealso::
       Source - https://kafka.apache.org/protocol#protocol_messages
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(KafkaExchanges, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.exchanges = []
        i = 0
        while not self._io.is_eof():
            self.exchanges.append(KafkaExchanges.Exchange(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.exchanges)):
            pass
            self.exchanges[i]._fetch_instances()


    class Exchange(KaitaiStruct):
        """A request and the response to it."""
        def __init__(self, _io, _parent=None, _root=None):
            super(KafkaExchanges.Exchange, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.request = kafka_request.KafkaRequest(self._io)
            if self.has_response:
                pass
                self.response = kafka_response.KafkaResponse(self.request.message.api_key, self.request.message.api_version, self._io)



        def _fetch_instances(self):
            pass
            self.request._fetch_instances()
            if self.has_response:
                pass
                self.response._fetch_instances()


        @property
        def has_response(self):
            """A producer with `acks=0` gets no response."""
            if hasattr(self, '_m_has_response'):
                return self._m_has_response

            self._m_has_response =  ((self.request.message.api.known_key != kafka_api.KafkaApi.Key.produce) or (self.request.message.body.acks != 0)) 
            return getattr(self, '_m_has_response', None)



