import type { ExecutionContext, TestFn } from 'ava'
import { setTimeout as sleep } from 'node:timers/promises'
import type * as inThread from '../../../../../src/in-thread.ts'
import { createLogger } from '../../../../../src/logger.ts'
import { createSafeFetch, type SafeStream } from '../../../../../src/safe-fetch/safe-fetch.ts'
import type { KnownSite } from '../../../../../src/sites/dialects/dialect.ts'
import { createDialect } from '../../../../../src/sites/dialects/registry.ts'
import { createThreads } from '../../../../../src/threads/threads.ts'
import { createCallSite, type SiteCall } from '../../../../../src/tools/call-site.ts'
import { temporaryCertificates } from '../../../../helpers/https-server.ts'

const threads = createThreads<typeof inThread>({
  file: new URL('../../../../../src/in-thread.ts', import.meta.url),
})

let files = 0

/** Declares that the tests of a file use the threads. They end after the last test of the last such file. */
export function shareThreads(test: TestFn): void {
  files += 1
  test.after.always(async () => {
    files -= 1
    if (files === 0) await threads.close()
  })
}

/** The dialects as the platform has them, with limits of a test. */
export async function openDialect(
  t: ExecutionContext,
  {
    noticedAfterMs = 0,
    ...limits
  }: {
    timeoutSeconds?: number
    manifestTimeoutSeconds?: number
    resultBytes?: number
    manifestBytes?: number
    /** How long this process takes to notice that a response does not come, as one does that stands still. */
    noticedAfterMs?: number
  } = {},
) {
  const { caFile } = await temporaryCertificates()
  const allow = ['127.0.0.0/8', 'localhost']
  const safeFetch = createSafeFetch({ allow, loopback: true, caFile, baseUrl: 'http://127.0.0.1:3000', version: '0' })
  t.teardown(safeFetch.close)
  const sites = {
    timeoutSeconds: 20,
    manifestTimeoutSeconds: 20,
    resultBytes: 100_000,
    manifestBytes: 100_000,
    ...limits,
  }
  const callSite = createCallSite({ logger: createLogger('silent', 'test'), threads })
  const stream: SafeStream = async (request) =>
    safeFetch.stream(request).catch(async (error: unknown) => {
      await sleep(noticedAfterMs)
      throw error
    })
  const dialect = createDialect({
    ...safeFetch,
    stream,
    documents: { read: async () => undefined },
    threads,
    config: { sites },
    callSite,
  })
  return {
    list: (address: string, token?: string, known: KnownSite = {}) =>
      dialect.list(address, 'somebody', { token, ...known }),
    call: (serverUrl: string, tool: string, more: Partial<SiteCall> = {}) =>
      dialect.call({ ...someCall, serverUrl, tool, ...more }),
  }
}

const someCall = {
  dialect: 'mcp',
  entryId: 'entry',
  generation: 1,
  token: '',
  ownerId: 'owner',
  arguments: '{}',
  idempotencyKey: 'key',
} as const
