import { asked as approvalsAsked, decide } from '../helpers/approvals.ts'
import { eventually } from '../helpers/eventually.ts'
import { openSession, send, underWay } from '../chat/stage.ts'
import { saysLate } from './acts.ts'
import type { Stage } from './stage.ts'

interface Part {
  type: string
  id?: string
  delta?: string
}

/** What a reader gets, as it comes. */
interface Heard {
  /** All of it, once it is over or the reader has left. */
  over: Promise<string>
  hears: (words: string) => Promise<true>
}

/** A conversation whose client records what it sends and sees. */
export async function converse(stage: Stage, { tools = [], askFirst = [], ...more }: Talk = {}) {
  const { someone, vaultEntryId, model, note } = stage
  const sites = tools.length > 0 ? [{ vaultEntryId, tools, askFirst }] : []
  const session = await openSession(someone, { model, sites, ...more })
  const headers = { 'x-session-token': session.token }
  const streamOf = () => fetch(`${session.url}/chat/messages/any/stream`, { headers })

  async function record(title: string, response: Response, { over }: Heard = listen(response)) {
    const body = await over
    note(title, [stage.plain(headOf(response)), ...bodyLines(body, stage)])
    return body
  }

  return {
    session,
    headers,
    record,
    /** Sends a message, and records the answer to its end. */
    async say(body: object): Promise<void> {
      await record(`the client sends ${stage.line(body)}`, await send(session, body))
    },
    /** Sends a message, and returns what comes while it comes. */
    async begin(body: object, init: RequestInit = {}) {
      const response = await send(session, body, init)
      return { response, ...listen(response) }
    },
    /** Reads the answer under way from its first part; `open` is done once it comes. */
    async resume(open: () => void): Promise<void> {
      await underWay(session)
      const response = await streamOf()
      open()
      await record('the client resumes the stream', response)
    },
    /** The approval that the answer waits for. */
    approval: async (): Promise<string> => (await approvalsAsked(someone))[0]?.id ?? '',
    /** Records the session's history, with the messages that were replaced. */
    async history(): Promise<void> {
      const response = await fetch(`${session.url}/chat/messages?branch=all`, { headers })
      const { items, ...rest } = (await response.json()) as { items: { parts: object[] }[] }
      const lines = items.flatMap(({ parts, ...message }) => [message, ...parts.map((part) => ({ part }))])
      note('the history', [...lines, rest].map(stage.line))
    },
  }
}

type Talk = { tools?: string[]; askFirst?: string[]; onDisconnect?: 'cancel' | 'continue' }

export type Conversation = Awaited<ReturnType<typeof converse>>

/** Decides about the call that the answer waits for, and reads on. The model answers once the reader is there. */
export async function decideAndRead(
  { play, someone, note }: Stage,
  talk: Conversation,
  decision: 'approve' | 'refuse',
  more: { note?: string } = {},
): Promise<void> {
  const approvalId = await talk.approval()
  const gate = Promise.withResolvers<void>()
  play(saysLate('That ', gate.promise, 'is over.'))
  note(`the owner decides: ${decision} ${JSON.stringify(more)}`, [])
  await decide(someone, approvalId, decision, more)
  await talk.resume(gate.resolve)
}

function listen(response: Response): Heard {
  let text = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
    return text
  }
  // A reader that leaves keeps what it has.
  const over = read().catch(() => text)
  const hears = (words: string) => eventually(20, `the reader hears ${words}`, () => text.includes(words) || undefined)
  return { over, hears }
}

const shownHeaders = ['content-type', 'x-vercel-ai-ui-message-stream', 'x-resumable-stream-id']

function headOf({ status, headers }: Response): string {
  const shown = shownHeaders.flatMap((name) => (headers.has(name) ? `${name}: ${headers.get(name)}` : []))
  return [status, ...shown].join(', ')
}

/** The events of a stream, one per line, without comments; or the body. Texts come in pieces of any length. */
function bodyLines(body: string, { line }: Stage): string[] {
  if (!body.startsWith('data: ') && !body.startsWith(':')) return body === '' ? [] : [line(JSON.parse(body))]
  const frames = body.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'))
  const data = frames.map((frame) => frame.replace(/^data: /, ''))
  const parts = data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as Part)
  return [...joined(parts).map(line), ...data.filter((one) => one === '[DONE]')]
}

function joined(parts: Part[]): Part[] {
  const whole: Part[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    const goesOn = part.type === 'text-delta' && last?.type === 'text-delta' && last.id === part.id
    if (goesOn) last.delta = `${last.delta}${part.delta}`
    else whole.push({ ...part })
  }
  return whole
}
