import type { Config } from '../../config/config.ts'
import type { Temporal } from '../../temporal/temporal.ts'
import { reasonOf } from '../examine.ts'
import { failing, fine, warning, type Check } from '../finding.ts'
import { isLoopback } from '../loopback.ts'

interface Context {
  temporal: Pick<Temporal, 'serverFacts'>
  config: Pick<Config, 'temporal' | 'http'>
}

/** The shortest useful memory of closed workflows, in hours. */
const shortestRetention = 24

/** Codes of gRPC that operators meet. */
const grpcReasons: Record<string, string> = {
  4: 'no answer in time',
  7: 'permission denied',
  14: 'unavailable',
  16: 'wrong API key',
}

/** Whether Temporal answers and has the namespace. */
export const temporal: Check<Context> = {
  name: 'temporal',
  async look({ temporal: { serverFacts }, config }) {
    const { address, namespace } = config.temporal
    let hours: number | undefined
    try {
      hours = await serverFacts.retentionHours()
    } catch (error) {
      return failing(
        `Temporal cannot be reached at ${address} (${grpcReasons[reasonOf(error)] ?? `gRPC ${reasonOf(error)}`}).`,
        'Start Temporal, and check TEMPORAL_ADDRESS, TEMPORAL_TLS and TEMPORAL_API_KEY. Accepted work waits meanwhile.',
      )
    }
    if (hours === undefined)
      return failing(
        `Temporal has no namespace "${namespace}".`,
        `Correct TEMPORAL_NAMESPACE, or run: temporal operator namespace create --namespace ${namespace} --retention 72h`,
      )
    return hours < shortestRetention
      ? warning(
          `Temporal forgets closed workflows after ${hours} hours.`,
          `Run: temporal operator namespace update --namespace ${namespace} --retention 72h`,
        )
      : fine(`Temporal answers, and keeps closed workflows for ${hours} hours.`)
  },
}

/** Without them, Temporal refuses to start our workflows. */
export const attributes: Check<Context> = {
  name: 'search attributes',
  needs: ['temporal'],
  async look({ temporal: { serverFacts }, config }) {
    const missing = await serverFacts.missingAttributes()
    if (missing.length === 0) return fine('Temporal has all search attributes.')
    const { namespace } = config.temporal
    const options = missing.map((name) => `--name ${name} --type Keyword`).join(' ')
    return failing(
      `Temporal lacks the search attributes ${missing.join(', ')}.`,
      `Restart a worker, which registers them, or run: temporal operator search-attribute create --namespace ${namespace} ${options}`,
    )
  },
}

/** What cannot be changed later: the parts of the history, and what stores it. */
export const shards: Check<Context> = {
  name: 'temporal storage',
  needs: ['temporal'],
  async look({ temporal: { serverFacts }, config }) {
    const { version, shards: count, store } = await serverFacts.cluster()
    const isPublic = !isLoopback(new URL(config.http.baseUrl).hostname)
    if (store === 'sqlite' && isPublic)
      return warning(
        'Temporal is the development server, on SQLite.',
        'Use a Temporal server on Postgres. Runs continue when you switch. See docs/operate/temporal.md.',
      )
    if (store !== 'sqlite' && count === 1)
      return warning(
        'Temporal has one history shard, which bounds its speed.',
        'Create its databases again with numHistoryShards of 16 or more; it cannot be changed later. Unfinished runs continue from the record.',
      )
    return fine(`Temporal ${version} stores in ${store || 'an unknown store'}, in ${count} shards.`)
  },
}
