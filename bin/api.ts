import { createApp } from '../api/app.ts'
import { createHttpServer } from '../api/server.ts'
import { startProcess } from './process.ts'

/** The HTTP API as a process of its own. */
await startProcess('api', async ({ config, logger, services }) => {
  const { host, port } = config.http
  const { server, drain } = createHttpServer()
  const handle = createApp(services).callback()
  server.on('request', (request, response) => void handle(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  logger.info({ address: server.address() }, 'listening')
  return drain
})
