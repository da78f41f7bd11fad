import { failing, fine, warning, type Check } from '../../../src/health/finding.ts'
import { tryMailServer } from '../../../src/notifications/mailer.ts'
import type { Outside } from './context.ts'
import { isLoopback } from '../../../src/health/loopback.ts'

/** Whether the mail server accepts us. No mail is sent. */
export const mail: Check<Outside> = {
  name: 'mail',
  longestMs: 15_000,
  async look({ config: { mail: settings, http } }) {
    const { smtpUrl } = settings
    if (smtpUrl === undefined) return withoutMail(http.baseUrl)
    const server = new URL(smtpUrl).host
    const problem = await tryMailServer(settings, smtpUrl)
    return problem === undefined
      ? fine(`The mail server ${server} accepts us.`)
      : failing(
          `The mail server ${server} does not accept us (${problem}).`,
          'Correct SMTP_URL, its user and its password. Emails are retried for a day. See docs/operate/mail-and-callbacks.md.',
        )
  },
}

const withoutMail = (baseUrl: string) =>
  isLoopback(new URL(baseUrl).hostname)
    ? fine('There is no mail server, and nobody else uses this address.')
    : warning(
        'There is no mail server, so nobody gets an email. Admins read them in GET /admin/mails.',
        'Set SMTP_URL and MAIL_FROM. See docs/operate/mail-and-callbacks.md.',
      )
