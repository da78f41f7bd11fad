import { hostname } from 'node:os'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Span } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Config } from '../config/config.ts'
import type { Logger } from '../logger.ts'
import { version } from '../version.ts'
import { names, type Attributes } from './names.ts'
import type { BegunSpan, NewSpan, SpanRecorder } from './span.ts'
import type { SpanRef } from './traceparent.ts'

type Settings = NonNullable<Config['tracing']>

/** Spans that wait for the collector. Further ones are dropped, so a dead collector costs about 10 MiB. */
const mostWaiting = 4096
/** How long spans are collected before they are sent, and how long one attempt to send them may take. */
const everyMs = 1000
const exportMs = 10_000
/** How long a process that ends waits for the collector. */
const lastExportMs = 3000
/** How often failures to send are logged. */
const quietMs = 60_000

/**
 * The only file that knows OpenTelemetry's SDK, and it is loaded only if spans are exported. Nothing is registered
 * globally: libraries do not find the SDK, and several platforms in one process do not share it. The exporter itself
 * reads the other standard variables (timeout, compression, certificates), and the resource OTEL_RESOURCE_ATTRIBUTES.
 */
export function startOtel(settings: Settings, logger: Logger): SpanRecorder & { close: () => Promise<void> } {
  const { url, headers, keepsContents } = settings
  const exporter = new OTLPTraceExporter({ url, ...(headers && { headers }) })
  const ids = createIds()
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': 'switchyard',
      'service.version': version,
      'host.name': hostname(),
      'process.pid': process.pid,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, logger),
        maxQueueSize: mostWaiting,
        scheduledDelayMillis: everyMs,
        exportTimeoutMillis: exportMs,
      }),
    ],
  })
  const tracer = provider.getTracer('switchyard', version)

  function begin({ name, kind = 'internal', attributes = {}, links = [], parent, spanId, startedAt }: NewSpan) {
    ids.next = spanId
    const span = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes: present(attributes),
        links: links.map((link) => ({ context: contextOf(link) })),
        ...(startedAt && { startTime: startedAt }),
      },
      parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT,
    )
    ids.next = undefined
    return begun(span)
  }

  return {
    begin,
    keepsContents,
    close: () => Promise.race([provider.shutdown().catch(() => undefined), afterwards(lastExportMs)]),
  }
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

function begun(span: Span): BegunSpan {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    ref: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(present(attributes)),
    fail: (code) => void span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute(names.errorType, code),
    end: (at) => span.end(at),
  }
}

const present = (attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes).filter(
      (pair): pair is [string, string | number | boolean | string[]] => pair[1] != null,
    ),
  )

const contextOf = ({ traceId, spanId, isSampled }: SpanRef) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
})

/** Random ids, except for the span whose id is given. */
function createIds() {
  const random = new RandomIdGenerator()
  return {
    next: undefined as string | undefined,
    generateTraceId: () => random.generateTraceId(),
    generateSpanId(): string {
      return this.next ?? random.generateSpanId()
    },
  }
}

/** All parents are spans of this platform, so their decisions are always followed. */
function samplerOf({ sampler, sampledPart }: Settings) {
  if (sampler.endsWith('always_off')) return new ParentBasedSampler({ root: new AlwaysOffSampler() })
  if (sampler.endsWith('always_on')) return new ParentBasedSampler({ root: new AlwaysOnSampler() })
  return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampledPart) })
}

/** Logs that spans were lost, at most once a minute. */
function reporting(exporter: SpanExporter, logger: Logger): SpanExporter {
  let lost = 0
  let saidAt = -Infinity
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) lost += spans.length
        if (result.error && performance.now() - saidAt > quietMs) {
          logger.warn({ lost, cause: result.error.name, code: codeOf(result.error) }, 'failed to send traces')
          lost = 0
          saidAt = performance.now()
        }
        done(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

const codeOf = (error: Error): unknown => (error as { code?: unknown }).code

const afterwards = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
