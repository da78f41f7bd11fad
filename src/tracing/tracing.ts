import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import { below, inSpanOf, type NewSpan, type OpenSpan, type SpanRecorder } from './span.ts'
import { spanOfRun } from './traceparent.ts'

/** A run, by what its spans are found. */
interface TracedRun {
  id: string
  traceparent: string | null
}

/** A span that is over when it is recorded. */
export interface PastSpan extends NewSpan {
  startedAt: Date
  endedAt: Date
  /** The code of the failure. */
  failed?: string | null | undefined
}

/** How long a stopping process reads for spans, in milliseconds. */
const closingMs = 3000

/** Spans that wait to be read. Further ones are left out, so that traces never hold up work. */
const mostReads = 1000

export type Tracing = ReturnType<typeof createTracing>

/**
 * Traces (docs/operate/traces.md). A span is begun with `inSpan`, which does nothing outside of a trace; this object
 * begins traces, continues them in other processes, and records what is over. Nothing is loaded and nothing happens
 * without OTEL_EXPORTER_OTLP_ENDPOINT.
 */
export function createTracing({ config, logger }: { config: Pick<Config, 'tracing'>; logger: Logger }) {
  let recorder: (SpanRecorder & { close: () => Promise<void> }) | undefined
  /** What is read for spans, one after another. */
  let reading = Promise.resolve()
  let waiting = 0

  const record = ({ endedAt, failed, ...span }: PastSpan): void => {
    const begun = recorder?.begin(span)
    if (failed) begun?.fail(failed)
    begun?.end(endedAt)
  }

  return {
    /** Loads what records spans. Without it, and before, there are none. */
    async start(): Promise<void> {
      if (!config.tracing) return
      const { startOtel } = await import('./otel.ts')
      recorder = startOtel(config.tracing, logger)
    },

    isOn: (): boolean => recorder !== undefined,

    /** Runs the work in a span: below that of the surrounding work, or as the beginning of a trace. */
    inSpan<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
      return inSpanOf(recorder, span, work)
    },

    /** Runs the work below the span of a run that this or another process has accepted. */
    belowRun<T>(run: TracedRun | undefined, work: () => T): T {
      const ref = run && spanOfRun(run)
      return recorder && ref ? below(recorder, ref, work) : work()
    },

    /** Records a span that is over, if its trace is sampled. */
    record,

    /** Records later what must be read first. The caller does not wait, and never fails because of it. */
    recordSoon(read: () => Promise<PastSpan[]>): void {
      if (!recorder || waiting >= mostReads) return
      waiting += 1
      reading = reading
        .then(read)
        .then((spans) => spans.forEach(record))
        .catch((error: unknown) => logger.warn({ err: error }, 'failed to read what a span needs'))
        .finally(() => void (waiting -= 1))
    },

    /** Sends what is recorded, for a few seconds at most. */
    async close(): Promise<void> {
      await Promise.race([reading, delay(closingMs, undefined, { ref: false })])
      await recorder?.close()
      recorder = undefined
    },
  }
}
