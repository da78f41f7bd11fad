import { createServer, type ServerResponse } from 'node:http'
import type { ProcessContext } from './process.ts'

/** The database's time to answer. Probes give up soon after. */
const databaseMs = 2000

/**
 * Answers health checks of a worker on WORKER_HEALTH_PORT: `GET /healthz` is 200 if the worker polls Temporal and the
 * database answers, and otherwise 503. Without that setting nothing listens. If the port cannot be opened, the process
 * ends.
 */
export function startHealth({ config, logger, services }: ProcessContext, isPolling: () => boolean) {
  const { workerHealthPort: port } = config
  if (port === 0) return { stop: () => {} }
  const databaseAnswers = async (): Promise<boolean> => {
    const late = new Promise<false>((resolve) => setTimeout(resolve, databaseMs, false).unref())
    const select = services.database.raw('select 1').then(
      () => true,
      () => false,
    )
    return Promise.race([select, late])
  }
  async function answer(response: ServerResponse): Promise<void> {
    const facts = { polling: isPolling(), database: await databaseAnswers() }
    const isWell = facts.polling && facts.database
    response.writeHead(isWell ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    response.end(JSON.stringify({ status: isWell ? 'ok' : 'failing', ...facts }))
  }

  const server = createServer((request, response) => {
    if (request.url === '/healthz') void answer(response)
    else response.writeHead(404).end()
  })
  server.on('error', (error) => {
    logger.fatal({ err: error, port }, 'failed to open the health port')
    process.exit(1)
  })
  server.listen(port, config.http.host)
  return {
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
