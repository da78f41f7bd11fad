import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* A server that does nothing else: what its clients wait for is this machine. */
const server = createServer((_request, response) => void response.end('{}'))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
