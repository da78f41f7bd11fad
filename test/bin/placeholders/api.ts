import { createServer } from 'node:http'

/** Stands in for bin/api.ts: listens, says so, drains on SIGTERM. */
const port = Number(process.argv[2] ?? process.env['PORT'])
const server = createServer((_request, response) => response.end(JSON.stringify({ pid: process.pid })))
server.listen(port, '127.0.0.1', () => console.log(JSON.stringify({ level: 30, msg: 'listening' })))
process.once('SIGTERM', () => server.close())
