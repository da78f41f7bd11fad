import { events, reset, status } from '../models/failing-provider.ts'
import { stop } from '../chat/stage.ts'
import { chat } from '../models/wire.ts'
import { asks, says, saysLate } from './acts.ts'
import { converse, decideAndRead } from './conversation.ts'
import type { Scene } from './stage.ts'

const ask = (text: string) => ({ text, stream: true })
const once = asks(['slow_once', { seconds: 0 }])
const failing = ['refuse', 'fail', 'not_json', 'reset', 'limit']

/** Ten conversations, by name. */
export const conversations: Record<string, Scene> = {
  'plain answers': async (stage) => {
    const talk = await converse(stage)
    stage.play(says('Good morning.'), says('As you said.'), says('Goodbye.'))
    await talk.say({ ...ask('Hello.'), id: 'm1' })
    await talk.say({ ...ask('Hello.'), id: 'm1' })
    await talk.say({ text: 'Again, in one piece.', stream: false })
    await talk.say({ id: 'chat', trigger: 'submit-message', messages: [uiMessage('m3', 'And as a page sends it.')] })
    await talk.history()
  },

  'one call, and an answer that outlives its reader': async (stage) => {
    const talk = await converse(stage, { tools: ['echo_text'], onDisconnect: 'continue' })
    const gate = Promise.withResolvers<void>()
    stage.play(asks(['echo_text', { text: 'one' }]), saysLate('It says ', gate.promise, 'one.'), says('One it was.'))
    const leaving = new AbortController()
    const first = await talk.begin(ask('Echo it.'), { signal: leaving.signal })
    await first.hears('It says')
    leaving.abort()
    await talk.record('the client sends a message, and leaves in the middle of its answer', first.response, first)
    await talk.resume(gate.resolve)
    await talk.say(ask('Which one?'))
    await talk.history()
  },

  'several calls at a time': async (stage) => {
    const talk = await converse(stage, { tools: ['echo_text', 'fail', 'slow_idempotent'] })
    stage.play(
      asks(['slow_idempotent', { seconds: 0.2 }], ['fail', {}], ['echo_text', { text: 'ünï ☃' }]),
      asks(['echo_text', { text: 'two' }]),
      says('All done.'),
    )
    await talk.say(ask('Do everything.'))
    await talk.history()
  },

  'calls that are not made': async (stage) => {
    const talk = await converse(stage, { tools: ['slow_read', 'echo_text'] })
    stage.play(
      asks(
        ['slow_read', { seconds: 'many' }],
        ['echo_text', {}],
        ['fly', { to: 'the moon' }],
        ['echo_text', '{"text":'],
      ),
      says('I could not.'),
    )
    await talk.say(ask('Try.'))
    await talk.history()
  },

  'tools that fail': async (stage) => {
    const talk = await converse(stage, { tools: failing })
    stage.play(...failing.map((tool) => asks([tool, {}])), says('Nothing works.'))
    await talk.say(ask('Try all of them.'))
    await talk.history()
  },

  'answers of no use': async (stage) => {
    const talk = await converse(stage)
    stage.play(
      says(''),
      says('This is only the beg', 'length'),
      says('', 'content_filter'),
      says('No', 'content_filter'),
    )
    for (const text of ['Be silent.', 'Be long.', 'Be bad.', 'Be worse.']) await talk.say(ask(text))
    await talk.history()
  },

  'calls that ask first': async (stage) => {
    const talk = await converse(stage, { tools: ['slow_once', 'echo_text'], askFirst: ['slow_once'] })
    stage.play(once)
    await talk.say(ask('Do it.'))
    await decideAndRead(stage, talk, 'approve')
    stage.play(asks(['echo_text', { text: 'free' }], ['slow_once', { seconds: 0 }]))
    await talk.say(ask('And again.'))
    await decideAndRead(stage, talk, 'refuse', { note: 'Not today.' })
    await talk.history()
  },

  'calls that nobody approves': async (stage) => {
    const { database, chat: chats } = stage.platform.services
    const talk = await converse(stage, { tools: ['slow_once'], askFirst: ['slow_once'] })
    const gate = Promise.withResolvers<void>()
    stage.play(once, saysLate('Too ', gate.promise, 'late.'))
    await talk.say(ask('Do it.'))
    await database('approvals')
      .where({ id: await talk.approval() })
      .update({ expiresAt: new Date() })
    await chats.reconcile()
    await talk.resume(gate.resolve)
    stage.play(once, says('Something else, then.'))
    await talk.say(ask('Do it after all.'))
    await talk.say(ask('No, something else.'))
    await talk.history()
  },

  'an answer that is stopped, and given again': async (stage) => {
    const talk = await converse(stage, { tools: ['echo_text'] })
    stage.play(
      asks(['echo_text', { text: 'one' }]),
      events(chat.begin('I begin to '), 'hang'),
      says('Better.'),
      says('So.'),
    )
    const first = await talk.begin({ id: 'chat', trigger: 'submit-message', messages: [uiMessage('m1', 'Tell me.')] })
    await first.hears('I begin to')
    await stop(talk.session, 'chat')
    await talk.record('the client sends a message, and stops its answer', first.response, first)
    await talk.say({ id: 'chat', trigger: 'regenerate-message', messages: [uiMessage('m1', 'Tell me.')] })
    await talk.say(ask('Go on.'))
    await talk.history()
  },

  'models that fail': async (stage) => {
    const talk = await converse(stage, { tools: ['echo_text'] })
    stage.play(
      status(500),
      status(401),
      events(chat.begin('I begin to '), 'reset'),
      asks(['echo_text', { text: 'one' }]),
      reset,
      says('Now it works.'),
    )
    for (const text of ['One.', 'Two.', 'Three.', 'Four.', 'Five.']) await talk.say(ask(text))
    await talk.history()
  },
}

const uiMessage = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] })
