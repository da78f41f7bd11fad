import { AsyncLocalStorage } from 'node:async_hooks'
import { isCoded } from '../errors.ts'
import type { Attributes } from './names.ts'
import { writeTraceparent, type SpanRef } from './traceparent.ts'

/** A span to begin. */
export interface NewSpan {
  name: string
  /** Whether it serves a request, or makes one. */
  kind?: 'server' | 'client' | 'internal'
  attributes?: Attributes
  /** Other spans that it has to do with. */
  links?: readonly SpanRef[]
  parent?: SpanRef | undefined
  /** Only for the span of a run. */
  spanId?: string
  startedAt?: Date
}

/** A span that has begun. */
export interface BegunSpan {
  ref: SpanRef
  rename: (name: string) => void
  set: (attributes: Attributes) => void
  /** Marks the span as failed, with a code: no message of strangers. */
  fail: (code: string) => void
  end: (at?: Date) => void
}

/** What records spans, once it is loaded. */
export interface SpanRecorder {
  begin: (span: NewSpan) => BegunSpan
  /** Whether the operator asks for prompts, answers, arguments and results. */
  keepsContents: boolean
}

/** What the work of a span may say about it. */
export type OpenSpan = Pick<BegunSpan, 'rename' | 'set' | 'fail'>

interface Current {
  recorder: SpanRecorder
  ref: SpanRef
  /** Absent below a span that another process records. */
  span?: BegunSpan
  /** Whether requests of this work tell sites the span. */
  isTold: boolean
}

const works = new AsyncLocalStorage<Current>()

const nothing: OpenSpan = { rename() {}, set() {}, fail() {} }

/** The most characters of one content. */
const mostContent = 16 * 1024

/** Runs the work in a span, below that of the surrounding work; without one, the work has none either. */
export function inSpan<T>(span: NewSpan, work: (span: OpenSpan) => Promise<T>): Promise<T> {
  const current = works.getStore()
  return current ? runIn(current.recorder, { ...span, parent: current.ref }, work, current.isTold) : work(nothing)
}

/** The same with a span that begins a trace where there is none. */
export const inSpanOf = <T>(
  recorder: SpanRecorder | undefined,
  span: NewSpan,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> => (works.getStore() || !recorder ? inSpan(span, work) : runIn(recorder, span, work, false))

/** Runs the work below a span that another process may have begun, or will record. */
export const below = <T>(recorder: SpanRecorder, ref: SpanRef, work: () => T): T =>
  works.run({ recorder, ref, isTold: false }, work)

/** Sites learn from the requests of this work what span they belong to. */
export function tellingSites<T>(isTold: boolean, work: () => T): T {
  const current = works.getStore()
  return current && isTold ? works.run({ ...current, isTold }, work) : work()
}

/**
 * Keeps contents in the span of the current work if the operator asks for them. `read` masks secrets; the texts are cut.
 * A failure costs only the contents.
 */
export async function keepContents(read: () => Promise<Attributes>): Promise<void> {
  const { recorder, span } = works.getStore() ?? {}
  if (recorder?.keepsContents && span?.ref.isSampled) span.set(cut(await read().catch(() => ({}))))
}

/** The span of the current work, for whoever continues it. */
export function currentTraceparent(): string | undefined {
  const current = works.getStore()
  return current && writeTraceparent(current.ref)
}

/** The same for a site, if it is told and the trace is sampled. */
export function toldTraceparent(): string | undefined {
  const current = works.getStore()
  return current?.isTold && current.ref.isSampled ? writeTraceparent(current.ref) : undefined
}

async function runIn<T>(
  recorder: SpanRecorder,
  given: NewSpan,
  work: (span: OpenSpan) => Promise<T>,
  isTold: boolean,
): Promise<T> {
  const span = recorder.begin(given)
  try {
    return await works.run({ recorder, ref: span.ref, span, isTold }, () => work(span))
  } catch (error) {
    span.fail(codeOf(error))
    throw error
  } finally {
    span.end()
  }
}

const cut = (attributes: Attributes): Attributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > mostContent ? `${value.slice(0, mostContent)}…` : value,
    ]),
  )

/** A code of ours, or the name of the error. Messages may quote strangers. */
const codeOf = (error: unknown): string =>
  isCoded(error) ? error.code : error instanceof Error ? error.name : 'aborted'
