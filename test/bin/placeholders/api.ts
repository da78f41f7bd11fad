import { createServer } from 'node:http'

/** Replaces the program `api`: listens, says so, drains on SIGTERM. */
const port = Number(process.env['PORT'])
const server = createServer((_request, response) => response.end(JSON.stringify({ pid: process.pid })))
server.listen(port, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'listening' })}\n`))
process.once('SIGTERM', () => server.close())
