import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import * as sessions from '../api/sessions.ts'
import { call } from '../test/helpers/client.ts'
import { customer } from '../test/helpers/people.ts'
import { startSpeaker } from './chat/speaker.ts'
import { temporaryFolder as folder } from './shared/folder.ts'
import { writeModelsFile } from './shared/models-file.ts'
import { openBenchServers } from './shared/servers.ts'
import { median, percentile } from './shared/statistics.ts'

/**
 * `npm run bench -- chat`: 200 simultaneous chat streams in one API process, compared with direct requests to the same
 * provider: the time until the first text, lost text, and memory per stream. Ten chats start per second and each
 * answer lasts 20 s, so 200 are open from the 20th second on; chats that start then count. Fails above twice the time,
 * or if text is lost.
 */
const [perSecond, seconds, measuredSeconds] = [10, 20, 10]
const chats = perSecond * (seconds + measuredSeconds)
const speech = { firstMs: 400, everyMs: 100, words: seconds * 10 }

const speaker = await startSpeaker(speech)
const servers = await openBenchServers(folder, false, {
  MODELS_FILE: writeModelsFile(folder, speaker.url, 128_000),
  STREAM_LIMIT: '10000',
})
try {
  const owners = await Promise.all(Array.from({ length: 20 }, () => customer(servers, 'enterprise')))
  const tokens = await Promise.all(
    Array.from({ length: chats }, async (_, index) => {
      const owner = owners[index % owners.length]
      if (!owner) throw new Error('there is no owner')
      return (await call(owner, sessions.createSession, { body: { sites: [] } })).body.token
    }),
  )
  const [api] = servers.processes
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${api?.pid}/status`, 'utf8'))?.[1]) / 1024
  await ask(tokens[0] ?? '')
  const direct = await runAll(tokens, (_, number) => askDirectly(number))
  const idle = memory()
  let busy = 0
  const ours = await runAll(tokens, async (token, number) => {
    if (number === perSecond * seconds) busy = memory()
    return ask(token)
  })
  const [one, other] = [firstOf(ours), firstOf(direct)]
  const ratio = median(one) / median(other)
  console.log(
    `until the first words: ${sentence(one)}; the provider asked directly: ${sentence(other)}; ratio ${ratio.toFixed(2)} (goal 2)`,
  )
  const whole = speaker.text
  const lost = ours.filter(({ text }) => text !== whole).length
  console.log(`answers with words that were lost: ${lost} of ${ours.length}`)
  console.log(
    `memory of the process: ${idle.toFixed(0)} MiB idle, ${busy.toFixed(0)} MiB with 200 streams: ${(((busy - idle) / 200) * 1024).toFixed(0)} KiB a stream`,
  )
  if (ratio > 2 || lost > 0) process.exitCode = 1
} finally {
  await servers.close()
  await speaker.close()
}

interface Reply {
  /** Milliseconds until the first text. */
  first: number
  text: string
}

/** Starts this many per second, and waits for all. */
async function runAll(tokens: string[], work: (token: string, number: number) => Promise<Reply>): Promise<Reply[]> {
  const begun = performance.now()
  return Promise.all(
    tokens.map(async (token, number) => {
      await delay(Math.max(0, begun + (number * 1000) / perSecond - performance.now()))
      return work(token, number)
    }),
  )
}

function firstOf(replies: Reply[]): number[] {
  return replies.slice(perSecond * seconds).map(({ first }) => first)
}

function sentence(times: number[]): string {
  return `median ${median(times).toFixed(0)} ms, p95 ${percentile(times, 0.95).toFixed(0)} ms`
}

function ask(token: string): Promise<Reply> {
  const body = { text: 'Say what you know.', stream: true }
  const wordsOf = ({ type, delta }: Data) => (type === 'text-delta' ? String(delta) : '')
  return hear(`${servers.url}/chat/messages`, { 'X-Session-Token': token }, body, wordsOf)
}

function askDirectly(number: number): Promise<Reply> {
  const messages = [{ role: 'user', content: `Say what you know, ${number}.` }]
  const wordsOf = ({ choices }: Data) => choices?.[0]?.delta?.content ?? ''
  return hear(`${speaker.url}/chat/completions`, {}, { model: 'bench-model', stream: true, messages }, wordsOf)
}

interface Data {
  type?: string
  delta?: unknown
  choices?: { delta?: { content?: string } }[]
}

async function hear(
  url: string,
  headers: Record<string, string>,
  body: object,
  wordsOf: (data: Data) => string,
): Promise<Reply> {
  const begun = performance.now()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.body) throw new Error('there is no answer')
  let [first, text, rest] = [0, '', '']
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      if (!frame.startsWith('data: {')) continue
      const words = wordsOf(JSON.parse(frame.slice('data: '.length)) as Data)
      if (words !== '') first ||= performance.now() - begun
      text += words
    }
  }
  return { first, text }
}
