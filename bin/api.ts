import { createServer } from 'node:http'
import { createApp } from '../api/app.ts'
import { startProcess } from './process.ts'

/** The HTTP API as a process of its own. */
await startProcess('api', async ({ config, logger, services }) => {
  const { host, port } = config.http
  const handle = createApp(services).callback()
  let stopping = false
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000 }, (request, response) => {
    // A client that keeps its connection busy would keep this process from ending.
    if (stopping) response.setHeader('connection', 'close')
    void handle(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  logger.info({ address: server.address() }, 'listening')
  return async () => {
    stopping = true
    // Connections that become idle only now would be kept for their whole time otherwise.
    const closing = setInterval(() => server.closeIdleConnections(), 50)
    await new Promise((resolve) => server.close(resolve))
    clearInterval(closing)
  }
})
