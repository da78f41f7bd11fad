import { serve, object, type ObjectContext } from '@restatedev/restate-sdk'
import { required } from './settings.ts'
import { append } from './work.ts'

/** While only accepting is measured, nothing is carried out: the first delivery of each agent waits, and so do the rest. */
const isHolding = process.env['HOLD'] === 'true'

/** A virtual object per agent carries out one delivery at a time, in order of arrival. */
const agent = object({
  name: 'agent',
  handlers: {
    deliver: async (context: ObjectContext, { number }: { number: number }) => {
      if (isHolding) await new Promise(() => undefined)
      await context.run('append', () => append({ agent: context.key, number }))
    },
  },
})

await serve({ services: [agent], port: Number(required('PORT')) })
console.log('{"msg":"ready"}')
