import { behaviours } from './behaviours.ts'

/** A manifest without fault: what is wrong with this site shows only when its tools are called. */
export function createManifest(origin: string) {
  return {
    name: 'Example of bad tools',
    version: '1.0.0',
    description: 'Tools that fail, hang, refuse or answer nonsense, to try out what the platform does then.',
    server: { url: `${origin}/api` },
    auth: { type: 'bearer' },
    tools: Object.entries(behaviours).map(([name, { description, effect, input_schema }]) => {
      return { name, description, effect, input_schema }
    }),
  }
}
