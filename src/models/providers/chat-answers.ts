import { isRecord } from '../arguments.ts'
import { callsOf, choiceOf, endWordOf, indexOf, messageOf, usageOf, type Members } from './chat-message.ts'
import { failureIn } from './inner-failure.ts'
import { StreamedCalls, type CallPiece } from './streamed-calls.ts'

/** An answer in one piece, in the form that adapters take. */
export function wholeAnswer(given: Members): Members {
  const { choices = [] } = given
  const choice = choiceOf(choices, undefined)
  const usage = usageOf(given, choice)
  return { choices: [isSaid(choice) ? wholeChoice(choice) : silence], ...(usage && { usage }) }
}

const isSaid = (value: unknown): boolean => value !== undefined && value !== null

/** Stands in the place of the word for the end, so that it is seen why an answer is empty. */
const noChoice = 'no choices'
const silence = { message: { content: '' }, finish_reason: noChoice }

function wholeChoice(choice: unknown): unknown {
  if (!isRecord(choice)) return choice
  const { message = choice['delta'], finish_reason: word } = choice
  if (!isRecord(message)) return { message }
  const calls = callsOf(message)?.map(({ id, name, arguments: text = '', extra }) => ({
    id,
    function: { name, arguments: text },
    extra_content: extra,
  }))
  return {
    message: { ...messageOf(message), tool_calls: calls ?? message['tool_calls'] },
    finish_reason: isRefusal(message) ? refused : (endWordOf(word) ?? ''),
  }
}

/** The word for the end of an answer with a refusal of the model, which servers put beside any other. */
const refused = 'refusal'
const isRefusal = ({ refusal }: Members): boolean => typeof refusal === 'string' && refusal !== ''

/** Brings the events of one streamed answer into the form that adapters take. */
export class ChatChunks {
  readonly #calls = new StreamedCalls()
  #index: number | undefined
  #hasBegun = false
  #hasChoice = false
  #hasWords = false
  #isRefused = false
  #hasEnded = false
  #endsWithUsage = false
  #usage: Members = {}

  read(event: Members): Members {
    const failure = failureIn(event)
    if (failure) return this.#fail(failure, event)
    const choice = choiceOf(event['choices'], this.#index)
    const usage = usageOf(event, choice)
    this.#hasChoice ||= isSaid(choice)
    this.#hasBegun ||= isSaid(choice) || usage !== undefined
    this.#endsWithUsage = !isSaid(choice) && usage !== undefined
    this.#usage = { ...this.#usage, ...usage }
    return { choices: isSaid(choice) ? [this.#choice(choice)] : [], ...(usage && { usage: this.#usage }) }
  }

  /**
   * What an answer lacks that is over without a word for it; undefined if it lacks nothing, or has broken off. Usage that
   * comes alone comes last.
   *
   * @param isDone whether the server says that nothing follows
   */
  end(isDone: boolean): Members | undefined {
    if (this.#hasEnded || !this.#hasBegun || !(isDone || this.#endsWithUsage)) return undefined
    return { choices: [{ delta: {}, finish_reason: this.#hasChoice ? '' : noChoice }] }
  }

  #fail({ status, message }: { status: number | undefined; message: string }, event: Members): Members {
    this.#hasEnded = true
    const usage = usageOf(event, undefined)
    return { error: { message, code: status ?? null }, ...(usage && { usage }) }
  }

  #choice(choice: unknown): unknown {
    if (!isRecord(choice)) return choice
    this.#index ??= indexOf(choice)
    const delta = this.#delta(choice)
    this.#isRefused ||= isRecord(delta) && isRefusal(delta)
    const word = endWordOf(choice['finish_reason'])
    this.#hasEnded ||= word !== undefined
    return { delta, finish_reason: word === undefined ? null : this.#isRefused ? refused : word }
  }

  /** Some servers write whole messages, beside the piece or in its place: then the first one counts. */
  #delta({ delta, message }: Members): unknown {
    const piece = isSaid(delta) || this.#hasWords ? delta : message
    if (!isSaid(piece)) return {}
    if (!isRecord(piece)) return piece
    this.#hasWords = true
    const calls = callsOf(piece)?.map((call) => this.#calls.read(call))
    return { ...messageOf(piece), tool_calls: calls ?? piece['tool_calls'] }
  }
}

/** One answer of the pieces of a stream; with `error` if they report a failure, and without `choices` if it broke off. */
export async function gathered(chunks: AsyncIterable<Members | string>): Promise<Members> {
  const parts: unknown[] = []
  const calls: CallPiece[] = []
  const texts = { refusal: '', reasoning_content: '' }
  let word: unknown
  let usage: unknown
  for await (const chunk of chunks) {
    if (typeof chunk === 'string') return { usage }
    usage = chunk['usage'] ?? usage
    if (chunk['error'] !== undefined) return { ...chunk, usage }
    const [{ delta, finish_reason = undefined } = {} as Members] = chunk['choices'] as Members[]
    word = finish_reason ?? word
    if (!isRecord(delta)) {
      if (isSaid(delta)) return { choices: [{ message: delta }] }
      continue
    }
    parts.push(...[delta['content'] ?? []].flat().map(toPart))
    for (const name of ['refusal', 'reasoning_content'] as const) texts[name] += String(delta[name] ?? '')
    for (const piece of (delta['tool_calls'] ?? []) as CallPiece[]) addTo(calls, piece)
  }
  if (!isSaid(word)) return { usage }
  const message = { content: parts, ...texts, tool_calls: calls }
  return { choices: [{ message, finish_reason: word }], ...(isSaid(usage) && { usage }) }
}

const toPart = (part: unknown): unknown => (typeof part === 'string' ? { type: 'text', text: part } : part)

function addTo(calls: CallPiece[], piece: CallPiece): void {
  const call = calls[piece.index]
  if (!call) calls[piece.index] = piece
  else {
    call.function.name ??= piece.function.name
    call.function.arguments += piece.function.arguments ?? ''
  }
}
