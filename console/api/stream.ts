import { client, type Api } from './client.ts'

export type RunEvent = Api['OutlinedEvent']

/** Part of an unfinished answer. An offset of 0 marks its start. Streams alone have it, so the document has no type. */
export interface Words {
  step: number
  attempt: number
  offset: number
  text: string
}

/** The kinds of events. An EventSource calls back only for kinds that somebody listens to. */
const kinds = [
  'accepted',
  'started',
  'recovered',
  'step.started',
  'step.failed',
  'step.finished',
  'context.fitted',
  'model.changed',
  'tool.started',
  'tool.failed',
  'tool.finished',
  'approval.requested',
  'approval.decided',
  'credential.refreshed',
  'wait.started',
  'wait.ended',
  'cancel.requested',
  'ended',
] as const satisfies readonly Api['EventKind'][]

type Missing = Exclude<Api['EventKind'], (typeof kinds)[number]>
/** `tsc` fails here and names the kinds that the API has and this file does not. */
const missing: Missing[] = [] satisfies never[]

interface Listener {
  onEvent: (event: RunEvent) => void
  onWords: (words: Words) => void
  /** The stream broke and the browser will not resume it, because the API refused it. */
  onRefused: () => void
}

/**
 * Follows a run from after an event until it ends. The browser resumes a broken connection after the last event (HTML,
 * 9.2). Returns a function that ends the stream.
 */
export function followRun(runId: string, after: number, { onEvent, onWords, onRefused }: Listener): () => void {
  const source = new EventSource(`/runs/${encodeURIComponent(runId)}/outline?after=${after}`)
  const parsed = ({ data }: MessageEvent<string>) => JSON.parse(data) as unknown
  for (const kind of [...kinds, ...missing]) {
    source.addEventListener(kind, (message) => {
      const event = parsed(message) as RunEvent
      onEvent(event)
      if (event.kind === 'ended') source.close()
    })
  }
  source.addEventListener('words', (message) => onWords((parsed(message) as { data: Words }).data))
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) onRefused()
  })
  return () => source.close()
}

const perPage = 500

/**
 * Reads what has happened since the last event, in pages: a stream hands a browser every event by itself, which takes
 * ten times as long. Returns false if the API refused or did not answer.
 */
export async function readHistory(
  runId: string,
  last: () => number,
  add: (event: RunEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  for (let more = true; more;) {
    const query = { after: last(), limit: perPage }
    const { data } = await client
      .GET('/runs/{runId}/outline', { params: { path: { runId }, query }, signal })
      .catch(() => ({ data: undefined }))
    if (!data) return false
    data.items.forEach(add)
    more = data.more
  }
  return true
}
