/*
 * Everything that runs in the threads of a process (src/threads/threads.ts), in one module, because all of it shares
 * them: a stranger decides how long it takes. Texts go in and come out, because to clone a value of many small parts
 * keeps the event loop longer than to parse it.
 */
export { checkArguments, compareTexts, readManifest } from './sites/in-thread.ts'
export { readAnswer, readRefusal } from './tools/site-answer.ts'
export { factsOfPayload, plainPayload } from './webhooks/payload-facts.ts'
