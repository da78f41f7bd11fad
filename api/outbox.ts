import * as v from 'valibot'
import { mailStatuses } from '../src/outbox/outbox-mail.ts'
import { route } from './route/route.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, pageOf, paging, time } from './schemas/schemas.ts'

const status = named(
  'MailStatus',
  v.picklist(mailStatuses),
  'kept: there was no mail server when it was made · pending: it waits to be sent · sent · failed: it was given up',
  'kept',
)
const mail = named(
  'Mail',
  v.object({
    id,
    to: field(v.string(), 'The address that it is for', 'ada@example.com'),
    subject: field(v.string(), 'One line', 'Confirm your address'),
    text: field(
      v.nullable(v.string()),
      'What it says, with a token if there is one; null where a mail server sends it, and once it is of no use',
      null,
    ),
    status,
    attempts: field(whole, 'How often sending it was tried', 0),
    createdAt: time,
    sentAt: field(v.nullable(time), 'When it was sent', null),
  }),
  'A mail to an address',
)

export const listOutbox = route({
  tag: 'admin',
  access: 'admin',
  name: 'listOutbox',
  method: 'get',
  path: '/admin/outbox',
  summary: 'List the mails to addresses',
  description:
    'Newest first, of the last seven days. Where there is no mail server, this is where they are read, so that you ' +
    'can pass them on. Notifications of owners are not among them.',
  query: v.strictObject(paging),
  status: 200,
  response: pageOf(mail),
  handle: ({ services, query }) => services.outbox.list(query),
})
