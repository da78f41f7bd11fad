import { isObject } from '../../json.ts'
import { APICallError } from '@ai-sdk/provider'
import type { ProviderKind } from '../../config/models-config.ts'

import { brokenOff, emptyBody, failedInside, ModelError, noJson, unreadableAnswer } from '../failures.ts'
import { boundedBytes } from './bounded-bytes.ts'
import { ChatChunks, gathered, wholeAnswer } from './chat-answers.ts'
import { readJson, type Members } from './chat-message.ts'
import { dataOf, eventOf } from './server-sent-events.ts'
import { failureIn, type InnerFailure } from './inner-failure.ts'

export interface Asked {
  kind: ProviderKind
  stream: boolean
}

/** Providers that speak OpenAI's Chat Completions, each server in its own variant. */
const chatKinds = new Set<ProviderKind>(['openai-compatible', 'mistral'])

/** The longest JSON text that is parsed: a whole answer, or an event. */
const maxJsonCharacters = 2 * 1024 * 1024

/**
 * A provider's 2xx answer in the form that its adapter reads. A stream stays a stream. Throws an APICallError or a
 * ModelError if it reports a failure, or is not an answer.
 */
export async function readableAnswer(answer: Response, asked: Asked): Promise<Response> {
  if (asked.kind === 'demo') return answer
  // Bedrock's streams are binary.
  if (asked.kind === 'amazon-bedrock' && asked.stream) return like(answer, ReadableStream.from(bytesOf(answer)))
  const texts = textsOf(answer)
  const head = await firstText(texts)
  if (head === '') throw emptyBody()
  const body = withHead(head, texts)
  if (/^[{[]/.test(head)) return readWhole(answer, body, asked)
  // The first letters of field names, and of a comment.
  if (/^[:deir]/.test(head)) return readEvents(answer, body, asked)
  throw noJson(await joined(body))
}

type Body = AsyncIterable<string>

async function readWhole(answer: Response, body: Body, asked: Asked): Promise<Response> {
  const json = await joined(body)
  const isChat = chatKinds.has(asked.kind)
  const value = parsed(json)
  if (value === undefined) return isChat ? readLines(answer, json, asked) : refuseCut(json)
  refuseFailure(value, json, answer)
  if (!isChat && asked.stream) throw unreadableAnswer(`is not streamed. ${advice(false)}`, json)
  if (!isChat || !isObject(value)) return like(answer, json)
  if (value['choices'] === undefined && value['object'] !== 'chat.completion') throw unreadableAnswer(noChoices, json)
  if (!asked.stream) return like(answer, JSON.stringify(wholeAnswer(value)))
  const chunks = new ChatChunks()
  const all = [chunks.read(value), chunks.end(true)]
  return like(answer, all.map((chunk) => (chunk ? framed(chunk) : '')).join(''))
}

/** Some servers write each event as a line of JSON without a field name. */
function readLines(answer: Response, json: string, asked: Asked): Promise<Response> {
  const lines = json.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || lines.some((line) => parsed(line) === undefined)) return refuseCut(json)
  return readEvents(answer, inPieces(lines.map(eventOf)), asked)
}

const refuseCut = (json: string): never => {
  throw brokenOff(json)
}

async function readEvents(answer: Response, body: Body, { kind, stream }: Asked): Promise<Response> {
  const isChat = chatKinds.has(kind)
  if (stream) return like(answer, ReadableStream.from(encoded(isChat ? normalized(body, answer) : body)))
  if (!isChat) throw unreadableAnswer(`is a stream, although the request did not ask for one. ${advice(true)}`)
  const value = await gathered(chunksOf(body, answer))
  const json = JSON.stringify(value)
  return 'choices' in value ? like(answer, json) : refuseCut(json)
}

const advice = (stream: boolean): string => `Try setting "stream": ${stream} for the model in MODELS_FILE`

function refuseFailure(value: unknown, json: string, answer: Response): void {
  const failure = failureIn(Array.isArray(value) ? value[0] : value)
  if (failure) throw reported(failure, json, answer)
}

/** A failure reported in an answer or an event, as if its status had said so. */
function reported({ status, message }: InnerFailure, json: string, { url, headers }: Response): Error {
  if (status === undefined) return failedInside(json)
  const responseHeaders = Object.fromEntries(headers)
  const details = { statusCode: status, responseHeaders, responseBody: json }
  return new APICallError({ message, url, requestBodyValues: {}, ...details })
}

/** The events of a Chat Completions stream in the form that adapters read. */
async function* normalized(body: Body, answer: Response): AsyncGenerator<string> {
  for await (const chunk of chunksOf(body, answer)) yield typeof chunk === 'string' ? eventOf(chunk) : framed(chunk)
}

/** For example an answer of another protocol. */
const noChoices = 'could not be read because choices is missing'

/** Passes on anything but JSON objects unchanged. Throws a failure that an event reports, with the usage until then. */
async function* chunksOf(body: Body, answer: Response): AsyncGenerator<Members | string> {
  const chunks = new ChatChunks()
  let isDone = false
  for await (const data of dataOf(body)) {
    if (data.trim() === '[DONE]') isDone = true
    else if (!['', 'null'].includes(data.trim())) yield chunkOf(chunks, data, answer)
  }
  if (chunks.isForeign) throw unreadableAnswer(noChoices)
  const end = chunks.end(isDone)
  if (end) yield end
}

function chunkOf(chunks: ChatChunks, data: string, answer: Response): Members | string {
  const value = parsed(data)
  const event = Array.isArray(value) && value.length === 1 ? (value[0] as unknown) : value
  if (!isObject(event)) return data
  const chunk = chunks.read(event)
  const failure = failureIn(event)
  if (failure) throw reported(failure, JSON.stringify({ ...event, usage: chunks.usage }), answer)
  return chunk
}

const framed = (chunk: Members): string => eventOf(JSON.stringify(chunk))

function parsed(json: string): unknown {
  if (json.length > maxJsonCharacters) throw unreadableAnswer('is longer than 2 MiB')
  try {
    return readJson(json)
  } catch {
    return undefined
  }
}

/** Adapters would mistake a connection lost now for one that was never made, or for an unreadable answer. */
async function* bytesOf(answer: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* boundedBytes(answer)
  } catch (error) {
    throw error instanceof ModelError ? error : brokenOff()
  }
}

async function* textsOf(answer: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of bytesOf(answer)) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

/** The first text without leading white space; empty if there is none. */
async function firstText(texts: AsyncGenerator<string>): Promise<string> {
  for (;;) {
    const { done, value } = await texts.next()
    if (done) return ''
    const text = value.trimStart()
    if (text !== '') return text
  }
}

async function* withHead(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head
  yield* rest
}

async function* inPieces(pieces: string[]): AsyncGenerator<string> {
  yield* pieces
}

async function* encoded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}

async function joined(body: Body): Promise<string> {
  const pieces: string[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > maxJsonCharacters) throw unreadableAnswer('is longer than 2 MiB')
    pieces.push(piece)
  }
  return pieces.join('')
}

const like = ({ status, headers }: Response, body: string | ReadableStream<Uint8Array>): Response =>
  new Response(body, { status, headers })
