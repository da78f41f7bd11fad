import type { Router } from '@koa/router'
import { assertMetricsToken } from '../src/metrics/assert-token.ts'
import { metricsType } from '../src/metrics/metrics.ts'
import type { Services } from '../src/services.ts'

/** The path of the metrics, on the API's port and on a worker's health port. */
export const metricsPath = '/metrics'

/**
 * Mounts the metrics of this process and of the record, for operators with METRICS_TOKEN. Without it, there are none.
 */
export function mountMetrics(router: Router, { config, metrics, recordMetrics }: Services): void {
  const { token } = config.metrics
  if (token === undefined) return
  router.get(metricsPath, async (ctx) => {
    assertMetricsToken(token, ctx.headers.authorization)
    ctx.body = (await Promise.all([metrics.text(), recordMetrics.text()])).join('\n')
    ctx.set({ 'Content-Type': metricsType, 'Cache-Control': 'no-store' })
  })
}
