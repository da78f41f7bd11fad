import * as v from 'valibot'
import { mailStatuses } from '../src/outbox/outbox-mail.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const status = named(
  'MailStatus',
  v.picklist(mailStatuses),
  'kept: there was no mail server · pending: waiting to be sent · sent · failed: no further attempts',
  'kept',
)
const mail = named(
  'Mail',
  v.object({
    id,
    to: field(v.string(), 'Email address of the recipient', 'ada@example.com'),
    subject: field(v.string(), 'Subject of the email', 'Confirm your address'),
    text: field(
      v.nullable(v.string()),
      'Text of the email, including any token. Null if a mail server sends the email, or if the text is no longer useful.',
      null,
    ),
    status,
    attempts: field(whole, 'Number of attempts to send the email', 0),
    createdAt: time,
    sentAt: field(v.nullable(time), 'When the email was sent', null),
  }),
  'Outgoing email',
)

export const listOutbox = route({
  tag: 'admin',
  access: 'admin',
  name: 'listOutbox',
  method: 'get',
  path: '/admin/outbox',
  summary: 'List outgoing emails',
  description:
    'Lists emails from the last seven days, newest first. If there is no mail server, read the emails here and pass them on. Notifications are not included. See [Mail and callbacks](/docs/operate/mail-and-callbacks).',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(mail),
  handle: ({ services, query }) => services.outbox.list(query),
})
