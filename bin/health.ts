import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { challengeOf } from '../api/middleware/challenge.ts'
import { metricsPath } from '../api/metrics.ts'
import { assertAnswers } from '../src/database/assert-answers.ts'
import { errorBody, type CodedError } from '../src/errors.ts'
import { assertMetricsToken } from '../src/metrics/assert-token.ts'
import { metricsType } from '../src/metrics/metrics.ts'
import { readTemporalMetrics } from '../src/metrics/temporal-metrics.ts'
import type { ProcessContext } from './process.ts'

/** The same refusal as the API's. */
function refuse({ headers }: IncomingMessage, response: ServerResponse, error: CodedError): void {
  response.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'WWW-Authenticate': challengeOf(error, headers.authorization ?? ''),
  })
  response.end(JSON.stringify(errorBody(error)))
}

/**
 * Answers health checks of a worker on WORKER_HEALTH_PORT: `GET /healthz` is 200 if the worker polls Temporal and the
 * database answers, and otherwise 503. With METRICS_TOKEN, `GET /metrics` has the metrics of this process and those of
 * Temporal's core in it. Without WORKER_HEALTH_PORT nothing listens. If the port cannot be opened, the process ends.
 */
export function startHealth({ config, logger, services, temporalMetrics }: ProcessContext, isPolling: () => boolean) {
  const { workerHealthPort: port } = config
  if (port === 0) return { stop: () => {} }
  const databaseAnswers = (): Promise<boolean> =>
    assertAnswers(services.database).then(
      () => true,
      () => false,
    )
  async function answer(response: ServerResponse): Promise<void> {
    const facts = { polling: isPolling(), database: await databaseAnswers() }
    const isWell = facts.polling && facts.database
    response.writeHead(isWell ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    response.end(JSON.stringify({ status: isWell ? 'ok' : 'failing', ...facts }))
  }

  const { token } = config.metrics
  async function sendMetrics(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (token !== undefined) assertMetricsToken(token, request.headers.authorization)
    } catch (error) {
      return refuse(request, response, error as CodedError)
    }
    const texts = await Promise.all([services.metrics.text(), temporalMetrics && readTemporalMetrics(temporalMetrics)])
    response.writeHead(200, { 'Content-Type': metricsType, 'Cache-Control': 'no-store' })
    response.end(texts.filter(Boolean).join('\n'))
  }

  const server = createServer((request, response) => {
    if (request.url === '/healthz') void answer(response)
    else if (request.url === metricsPath && token !== undefined) void sendMetrics(request, response)
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
