import * as v from 'valibot'
import { installationChecks } from '../src/health/checks/checks.ts'
import { examine } from '../src/health/examine.ts'
import { worstOf } from '../src/health/finding.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { time } from './schemas/schemas.ts'

const status = named('HealthStatus', v.picklist(['ok', 'warning', 'failing']), 'How well it is', 'ok')

const check = named(
  'HealthCheck',
  v.object({
    name: field(v.string(), 'Part that was checked', 'clock'),
    status,
    message: field(v.string(), 'What was found', "This machine's clock agrees with Postgres's."),
    fix: field(v.nullable(v.string()), 'What to do. Null if all is well.', null),
  }),
  'Finding about a part of the installation',
)

const canary = named(
  'Canary',
  v.object({
    status: named(
      'CanaryStatus',
      v.picklist(['ok', 'failing', 'off']),
      '`failing`: no delivery has passed for 90 seconds, a process is frozen, or a loop is dead',
      'ok',
    ),
    lastSuccessAt: field(v.nullable(time), 'When the last delivery passed. Null if none has in the last hour.'),
    failedStage: field(
      v.nullable(
        named(
          'CanaryStage',
          v.picklist(['accept', 'queue', 'run', 'callback', 'process', 'loop']),
          'Where a delivery has stopped, or what else makes the canary fail',
        ),
      ),
      'Where the delivery has stopped, or `process` or `loop`. Null unless failing.',
      null,
    ),
    message: field(v.string(), 'The same in a sentence', 'Deliveries pass from the webhook to the callback.'),
  }),
  'Delivery that the platform sends to itself',
)

const health = named(
  'InstallationHealth',
  v.object({ status, checks: field(v.array(check), 'All findings'), canary }),
  'Health of the installation',
)

export const getHealth = route({
  name: 'getHealth',
  tag: 'admin',
  access: 'admin',
  method: 'get',
  path: '/admin/health',
  summary: 'Check the installation',
  description:
    'Checks Postgres, Temporal, workers, loops, models and settings, and says what to do about each problem. Takes up to 5 seconds. A check that needs a failing one is left out. `npm run admin -- doctor` makes the same checks, and also looks from outside. See [Canary](/docs/operate/canary).',
  status: 200,
  response: health,
  handle: ({ services }) => together(services),
})

/** One examination at a time, shared by all waiting requests. */
const underWay = new WeakMap<Services, ReturnType<typeof look>>()

function together(services: Services): ReturnType<typeof look> {
  const looking = underWay.get(services) ?? look(services).finally(() => underWay.delete(services))
  underWay.set(services, looking)
  return looking
}

async function look(services: Services) {
  const checks = await examine(installationChecks, { ...services, folders: [] })
  const { status: canaryStatus, ...rest } = await services.canary.state()
  const canaryHealth = canaryStatus === 'failing' ? ('failing' as const) : ('ok' as const)
  const statuses = [...checks.map(({ status: one }) => one), canaryHealth]
  return { status: worstOf(statuses), checks, canary: { status: canaryStatus, ...rest } }
}
