import { buildConsole } from './local/console.ts'

/** `npm run build`: builds the console into `console/dist`, unless it is up to date. Takes some seconds. */
await buildConsole((text) => console.log(text))
