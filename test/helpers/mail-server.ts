import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import { SMTPServer } from 'smtp-server'
import { freePorts } from '../../bin/local/ports.ts'

/** A mail as it arrived, accepted or not. */
export interface Arrived {
  recipients: string[]
  /** The raw header and body, with CRLF line endings. */
  raw: string
}

type Command = 'CONNECT' | 'MAIL FROM' | 'RCPT TO' | 'DATA'
/** The server's response to a command: a status, or `none`. All other commands are accepted. */
export type Refusal = { at: Command; status: number | 'none'; words?: string } | undefined

/** An SMTP server on loopback that the test can make refuse, hang or stop. */
export async function startMailServer(t: ExecutionContext) {
  const arrived: Arrived[] = []
  let refusal: Refusal
  let connections = 0

  const answer = (at: Command, done: (error?: Error) => void): void => {
    if (refusal?.at !== at) return done()
    if (refusal.status === 'none') return
    done(Object.assign(new Error(refusal.words ?? 'not this one'), { responseCode: refusal.status }))
  }
  const create = () =>
    new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 10,
      onConnect(_session, done) {
        connections += 1
        answer('CONNECT', done)
      },
      onMailFrom: (_address, _session, done) => answer('MAIL FROM', done),
      onRcptTo: (_address, _session, done) => answer('RCPT TO', done),
      onData(stream, { envelope }, done) {
        const recipients = envelope.rcptTo.map(({ address }) => address)
        void text(stream).then((raw) => arrived.push({ recipients, raw }) && answer('DATA', done))
      },
    }).on('error', () => undefined)

  let server = create()
  const listen = (port: number) =>
    new Promise<void>((resolve) => {
      server.listen(port, '127.0.0.1', resolve)
    })
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(resolve)
    })
  const [port = 0] = await freePorts(1)
  await listen(port)
  t.teardown(close)

  return {
    url: `smtp://127.0.0.1:${port}`,
    arrived,
    connections: () => connections,
    refuse: (next: Refusal) => void (refusal = next),
    away: close,
    async back(): Promise<void> {
      server = create()
      await listen(port)
    },
  }
}
