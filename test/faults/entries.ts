import { scheduleActivities } from '../../activities/schedules.ts'
import { ofUser } from '../../src/deletion/delete-statements.ts'
import { spellingsOf } from '../../src/hiding/spellings.ts'
import { redact } from '../../src/logger.ts'
import { loops } from '../../src/loops.ts'
import { isPublicAddress } from '../../src/safe-fetch/ip-ranges.ts'
import { reworded, unwrapped, without } from './edits.ts'
import type { Fault } from './fault.ts'

const tested = 'test/src/loops.test.ts'

/** An entry is missing in a list. */
export const entries: Fault[] = [
  {
    id: 'entries/no-mails',
    in: { loops },
    edit: without('ArrayExpression > ObjectExpression:has([value.value="mails"])'),
    why: 'no mail is ever sent',
    tests: [tested],
  },
  {
    id: 'entries/invitations-stay',
    in: { ofUser },
    edit: without('CallExpression[arguments.0.value="invitations"][arguments.1.value="email"]'),
    why: 'the address of a deleted account stays in invitations, and the next who registers it is invited',
    tests: ['test/deletion/everything.test.ts'],
  },
  {
    id: 'entries/bare-activity',
    in: scheduleActivities,
    edit: unwrapped('Property[key.name="recordFire"] > CallExpression', 'last'),
    why: 'an activity is not wrapped, so its errors go into histories as they are',
    tests: ['test/activities/histories.test.ts'],
  },
  {
    id: 'entries/callback-secret-logged',
    in: redact,
    edit: reworded('callbacksecret ', ''),
    why: 'a secret that answers show once is logged',
    tests: ['test/src/logger.test.ts'],
  },
  {
    id: 'entries/six-to-four',
    in: isPublicAddress,
    edit: without('Literal[value="2002::/16"]'),
    why: 'an IPv6 address that carries a private IPv4 address counts as public',
    tests: ['test/src/safe-fetch/ip-ranges.test.ts'],
  },
  {
    id: 'entries/base64-not-hidden',
    in: spellingsOf,
    edit: without('SpreadElement[argument.callee.name="inBase64"]'),
    why: 'a site that repeats a token in base64 puts it into records, mails and prompts',
    tests: ['test/src/hiding/hiding.test.ts'],
  },
]
