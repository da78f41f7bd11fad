import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/* A server that does nothing else, so its clients wait only for this machine. */
const server = createServer((_request, response) => void response.end('{}'))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit(0))
