import { createApp } from '../api/app.ts'
import { createHttpServer } from '../api/server.ts'
import { startLoops } from '../src/loops.ts'
import { startPresence } from './presence.ts'
import { startProcess } from './process.ts'

/** How long clients have to stop using their connections: two seconds, or a tenth of a shorter time to stop. */
const noticeMs = (shutdownSeconds: number): number => Math.min(2000, shutdownSeconds * 100)

/** The HTTP API as a separate process. */
await startProcess('api', async ({ config, logger, services }) => {
  const { host, port, maxConnections } = config.http
  const { server, serve, drain } = createHttpServer({ maxConnections })
  const handle = createApp(services).callback()
  serve((request, response) => void handle(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  logger.info({ address: server.address(), timeZoneData: process.versions.tz }, 'listening')
  void services.signIn.checkInstalled()
  const loops = startLoops(services, 'everywhere', [], services.processes.watch)
  const absent = startPresence({ logger, services }, 'api')
  return async () => {
    const drained = drain(noticeMs(config.shutdownSeconds))
    // Open streams would keep their connections. Their readers reconnect to another process.
    const watched = services.runs.watching.stop()
    await Promise.all([...loops.map((loop) => loop.stop()), watched])
    await absent()
    await drained
  }
})
