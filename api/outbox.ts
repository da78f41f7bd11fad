import * as v from 'valibot'
import { mailStatuses } from '../src/outbox/outbox-mail.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const status = named(
  'MailStatus',
  v.picklist(mailStatuses),
  'kept: there was no mail server · pending: waiting to be sent · sent · failed: given up',
  'kept',
)
const mail = named(
  'Mail',
  v.object({
    id,
    to: field(v.string(), 'The recipient', 'ada@example.com'),
    subject: field(v.string(), 'The subject', 'Confirm your address'),
    text: field(
      v.nullable(v.string()),
      'The text, including any token; null if a mail server sends the email, or once it is no longer useful',
      null,
    ),
    status,
    attempts: field(whole, 'The number of attempts to send it', 0),
    createdAt: time,
    sentAt: field(v.nullable(time), 'When it was sent', null),
  }),
  'An outgoing email',
)

export const listOutbox = route({
  tag: 'admin',
  access: 'admin',
  name: 'listOutbox',
  method: 'get',
  path: '/admin/outbox',
  summary: 'List outgoing emails',
  description:
    'Newest first, for the last seven days. If there is no mail server, read the emails here and pass them on. ' +
    'Notifications are not included. See [Mail and callbacks](/docs/operate/mail-and-callbacks).',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(mail),
  handle: ({ services, query }) => services.outbox.list(query),
})
