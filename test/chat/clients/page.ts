import type { ChatState, ChatStatus, FinishReason, UIMessage } from 'ai'
import { historyOf, type TestSession } from '../stage.ts'
import type { Kind } from './kinds.ts'

/** What a framework keeps of a chat, without the framework. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = 'ready'
  error: Error | undefined = undefined
  messages: UIMessage[]

  constructor(messages: UIMessage[]) {
    this.messages = messages
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message]
  }

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, this.snapshot(message))
  }

  snapshot = <T>(thing: T): T => structuredClone(thing)
}

/** How an answer ended for the client. */
interface Finish {
  finishReason?: FinishReason | undefined
  isAbort: boolean
  isError: boolean
  /** Whether the network failed. */
  isDisconnect: boolean
}

/**
 * Opens a page with a chat client in the session, and with these messages. `more` are
 * options of the transport. `wire` holds the status of each response and
 * the types of its parts, and `data` the data parts that were told to the page.
 */
export function openPage(
  { AbstractChat, openTransport }: Kind,
  session: TestSession,
  { messages = [], more = {} }: { messages?: UIMessage[]; more?: object } = {},
) {
  const finishes: Finish[] = []
  const data: { type: string; data: unknown }[] = []
  const wire: { status: number; parts: string[]; read: Promise<void> }[] = []

  const recorded: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const parts: string[] = []
    wire.push({ status: response.status, parts, read: recordTypes(response.clone(), parts) })
    return response
  }

  class Page extends AbstractChat<UIMessage> {}
  const chat = new Page({
    state: new PlainState(messages),
    transport: openTransport({
      api: `${session.url}/chat/messages`,
      headers: { 'X-Session-Token': session.token },
      fetch: recorded,
      ...more,
    }),
    onFinish: ({ finishReason, isAbort, isError, isDisconnect }) =>
      void finishes.push({ finishReason, isAbort, isError, isDisconnect }),
    onData: (part) => void data.push(part),
  })
  return { chat, finishes, data, wire }
}

export type Page = ReturnType<typeof openPage>

/** What the history has, as messages of a page. */
export const shownIn = async (session: TestSession): Promise<UIMessage[]> =>
  (await historyOf(session)).items as unknown as UIMessage[]

/** Opens the page of a session anew: it shows what the history has. */
export const reopenPage = async (kind: Kind, session: TestSession, more: object = {}): Promise<Page> =>
  openPage(kind, session, { messages: await shownIn(session), more })

/** Writes down the types of the parts of a stream; one that breaks off is written down as far as it came. */
async function recordTypes(response: Response, types: string[]): Promise<void> {
  const texts = response.body?.pipeThrough(new TextDecoderStream())
  let open = ''
  try {
    for await (const text of texts ?? []) {
      const frames = (open + text).split('\n\n')
      open = frames.pop() ?? ''
      types.push(...frames.flatMap(typeOf))
    }
  } catch {
    types.push('broken off')
  }
}

function typeOf(frame: string): string[] {
  if (!frame.startsWith('data: ')) return []
  const data = frame.slice('data: '.length)
  return [data === '[DONE]' ? data : (JSON.parse(data) as { type: string }).type]
}

/** The words of a message. */
export const wordsOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('')

/** What the page shows last. */
export const lastWords = ({ chat }: Page): string =>
  chat.lastMessage?.role === 'assistant' ? wordsOf(chat.lastMessage) : ''
