import type { Config } from '../config/config.ts'

interface Mail {
  /** Stays the same on retries, so mailboxes detect duplicates. */
  id: string
  to: string
  subject: string
  text: string
}

/**
 * The outcome of a mail. `refused`: permanently (RFC 5321, 4.2.1: 5yz). `deferred`: this mail, perhaps not permanently. `away`: the
 * server accepts nothing, so other mails can wait. `what` names the reply or error.
 */
export type Delivery = { kind: 'sent' } | { kind: 'refused' | 'deferred' | 'away'; what: string }

/**
 * Sends plain text through the configured mail server, with one connection per mail; undefined if none is configured.
 */
export function createMailer(context: { config: Pick<Config, 'mail' | 'http'> }) {
  const { mail, http } = context.config
  if (mail.smtpUrl === undefined) return undefined
  const settings = settingsOf(mail, mail.smtpUrl)
  const { hostname } = new URL(http.baseUrl)

  /** Never throws. Takes at most three times the configured timeout. */
  return async function deliver({ id, to, subject, text }: Mail): Promise<Delivery> {
    try {
      // Loaded only when there is a mail to send.
      const { createTransport } = await import('nodemailer')
      await createTransport(settings).sendMail({
        from: mail.from,
        // An object, because a string with an odd address could parse as several.
        to: { name: '', address: to },
        subject,
        text,
        messageId: `<${id}@${hostname}>`,
        // RFC 3834: suppresses auto-replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.timeout(3 * settings.socketTimeout),
      })
      return { kind: 'sent' }
    } catch (error) {
      return classify(error)
    }
  }
}

function settingsOf({ timeoutSeconds }: Config['mail'], url: string) {
  const timeoutMs = timeoutSeconds * 1000
  return {
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/**
 * Connects to the mail server and signs in, but sends nothing. Returns what went wrong, as the code of an error or a
 * reply, or undefined. Never throws.
 */
export async function tryMailServer(mail: Config['mail'], url: string): Promise<string | undefined> {
  try {
    const { createTransport } = await import('nodemailer')
    await createTransport(settingsOf(mail, url)).verify()
    return undefined
  } catch (error) {
    return whatFailed(error)
  }
}

function whatFailed(error: unknown): string {
  const { code, command, responseCode } = error as { code?: string; command?: string; responseCode?: number }
  return [code, command, responseCode].filter((part) => part !== undefined).join(' ')
}

interface SmtpError {
  code?: string
  command?: string
  responseCode?: number
  /** The whole reply. */
  response?: string
}

/** Only replies about the recipient or the content concern this mail. Others concern the server or our account. */
function classify(error: unknown): Delivery {
  const { code, command, responseCode, response = '' } = error as SmtpError
  const what = whatFailed(error)
  // The address cannot be written in SMTP.
  if (code === 'EENVELOPE' && command === 'API') return { kind: 'refused', what }
  if (responseCode === undefined || (command !== 'RCPT TO' && command !== 'DATA')) return { kind: 'away', what }
  if (responseCode === 421) return { kind: 'away', what }
  return { kind: responseCode >= 500 && !isOfPolicy(response) ? 'refused' : 'deferred', what }
}

/**
 * Whether the reply's enhanced code (RFC 3463) is about the server, the network, the protocol or a policy, as for a quota or
 * a refused relay, and not about the address (5.1), the mailbox (5.2) or the content (5.6).
 */
const isOfPolicy = (response: string): boolean => /^\d{3}[ -]5\.[3457]\.\d/.test(response)
