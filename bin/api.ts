import { createServer } from 'node:http'
import { createApp } from '../api/app.ts'
import { startProcess } from './process.ts'

/** The HTTP API as a process of its own. */
await startProcess('api', async ({ config, logger, services }) => {
  const { host, port } = config.http
  const handle = createApp(services).callback()
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 60_000 }, (request, response) => {
    void handle(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  logger.info({ address: server.address() }, 'listening')
  return async () => {
    server.closeIdleConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
