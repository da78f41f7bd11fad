import { perform } from '../../activities/perform.ts'
import { exportAccount } from '../../api/exports.ts'
import { toCoded } from '../../api/failures.ts'
import { present } from '../../api/route/present.ts'
import { presentAgent } from '../../api/schemas/agent-schema.ts'
import { redact } from '../../src/logger.ts'
import { withoutSecrets } from '../../src/loop/fit-transcript.ts'
import { hiddenTranscript } from '../../src/loop/run-prompt.ts'
import { fence } from '../../src/models/fence.ts'
import { createAnswering } from '../../src/models/answering.ts'
import { stepMessages } from '../../src/models/prompt.ts'
import { createSafeFetch } from '../../src/safe-fetch/safe-fetch.ts'
import { createSealing } from '../../src/secrets/sealing.ts'
import { readAnswer } from '../../src/tools/site-answer.ts'
import { calling, instead, unwrapped, without } from './edits.ts'
import { type Fault } from './fault.ts'

const reach = 'test/models/injection/reach.test.ts'

/** A secret goes where it does not belong: to a model, a site, a log, an answer or a history. */
export const secrets: Fault[] = [
  {
    id: 'secrets/in-prompts',
    in: { withoutSecrets },
    edit: unwrapped(calling(hiddenTranscript), 'first'),
    why: 'a token that a payload holds goes to the model and its provider',
    tests: [reach],
  },
  {
    id: 'secrets/in-answers',
    in: createAnswering,
    edit: unwrapped(calling('answer'), 'first'),
    why: 'a key that the provider knows stands in the timeline and goes to sites',
    tests: [reach],
  },
  {
    id: 'secrets/in-results',
    in: readAnswer,
    edit: unwrapped(calling('json'), 'first'),
    why: 'a site that repeats its token puts it into the record and before the model',
    tests: ['test/src/tools/call-site.test.ts'],
  },
  {
    id: 'secrets/result-not-fenced',
    in: stepMessages,
    edit: unwrapped(`${calling(fence)}[arguments.0.value="untrusted result"]`, 'last'),
    why: 'what a site answers passes for instructions',
    tests: ['test/src/loop/run-prompt.test.ts'],
  },
  {
    id: 'secrets/in-histories',
    in: perform,
    edit: instead('String(error)', `ThrowStatement ${calling('failure')} > Literal[value=/log/]`),
    why: "the message of an unforeseen error goes into Temporal's history",
    tests: ['test/activities/perform.test.ts'],
  },
  {
    id: 'secrets/in-error-bodies',
    in: toCoded,
    edit: instead(
      '{ message: String(thrown) }',
      'NewExpression[arguments.0.value="INTERNAL_ERROR"] > ObjectExpression[properties.length=1]',
    ),
    why: 'the message of an unforeseen error, with tables and addresses in it, goes to clients',
    tests: ['test/api/private-details.test.ts'],
  },
  {
    id: 'secrets/columns-in-answers',
    in: present,
    edit: instead('answer', 'ReturnStatement > MemberExpression[property.name="output"]'),
    why: 'answers hold columns that the declaration does not name: hashes and sealed secrets',
    tests: ['test/api/codes.test.ts'],
  },
  {
    id: 'secrets/shown-to-readers',
    in: presentAgent,
    edit: without('Property[key.name="webhookSecret"] LogicalExpression > .right'),
    why: 'an API key that may only read learns how to start runs',
    tests: ['test/api/shown-addresses.test.ts'],
  },
  {
    id: 'secrets/in-exports',
    in: { exportAccount },
    edit: without('ObjectExpression > Property[key.name="scopes"]'),
    why: 'exports hold the secrets of webhooks',
    tests: ['test/exports/exports.test.ts'],
  },
  {
    id: 'secrets/password-logged',
    in: redact,
    edit: without('ArrayExpression > ArrayExpression:has([value=/password/])'),
    why: 'the password of Postgres stands in the log',
    tests: ['test/src/logger.test.ts'],
  },
  {
    id: 'secrets/sealed-value-moved',
    in: createSealing,
    edit: instead("''", 'TemplateLiteral > Identifier:nth-child(2)'),
    why: 'a sealed secret that is copied to another row opens there',
    tests: ['test/src/secrets/sealing.test.ts'],
  },
  {
    id: 'secrets/sent-to-redirects',
    in: createSafeFetch,
    edit: instead("'follow'", 'Property[key.name="redirect"] > Literal'),
    why: 'credentials go where a redirect says',
    tests: ['test/src/safe-fetch/safe-fetch.test.ts'],
  },
  {
    id: 'secrets/sent-to-private-addresses',
    in: createSafeFetch,
    edit: without('IfStatement[test.callee.property.name="refuses"]'),
    why: 'a site at 169.254.169.254 is asked',
    tests: ['test/src/safe-fetch/safe-fetch.test.ts'],
  },
]
