import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport } from 'ai'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

/** Sends JSON to the server of this page. */
async function post(path, body) {
  const response = await fetch(path, { method: 'POST', body: JSON.stringify(body ?? {}) })
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.error)
  return answer
}

/** The messages so far; undefined if the session is over. */
async function historyOf({ api, token }) {
  const messages = []
  for (let more = true; more;) {
    const after = messages.at(-1)?.number ?? 0
    const headers = { 'X-Session-Token': token }
    const response = await fetch(`${api}/chat/messages?limit=100&after=${after}`, { headers })
    if (!response.ok) return undefined
    const page = await response.json()
    messages.push(...page.items)
    more = page.more
  }
  return messages
}

/** The session of this tab, with its history, or a new one. */
async function findSession() {
  const kept = JSON.parse(sessionStorage.getItem('session') ?? 'null')
  const history = kept && (await historyOf(kept))
  if (history) return { ...kept, history }
  const session = await post('/session')
  sessionStorage.setItem('session', JSON.stringify(session))
  return { ...session, history: [] }
}

/** The platform's errors are JSON with a sentence for the user. */
function inWords(error) {
  try {
    return JSON.parse(error.message).error
  } catch {
    return error.message
  }
}

function Chat({ api, token, history }) {
  const headers = { 'X-Session-Token': token }
  const [transport] = useState(() => new DefaultChatTransport({ api: `${api}/chat/messages`, headers }))
  const chat = useChat({ messages: history, transport })
  const [input, setInput] = useState('')
  // Before the answer has an id, there is nothing to stop.
  const isStarted = chat.messages.at(-1)?.role === 'assistant'
  const isBusy = chat.status === 'submitted' || chat.status === 'streaming'

  /** Shows the answer that was in progress at the reload. It may have ended since the history was read. */
  async function resume() {
    await chat.resumeStream()
    chat.setMessages((await historyOf({ api, token })) ?? history)
  }
  useEffect(() => {
    if (['queued', 'running', 'waiting'].includes(history.at(-1)?.status)) void resume()
  }, [])

  function send(event) {
    event.preventDefault()
    void chat.sendMessage({ text: input })
    setInput('')
  }
  /** Stops the answer at the platform. Leaving the stream would not stop it. */
  const stop = () => fetch(`${api}/chat/messages/${chat.id}/stream`, { method: 'DELETE', headers })
  async function decide({ approvalId, argumentsHash }, decision, input) {
    await post('/decision', { token, approvalId, argumentsHash, decision, input })
    await chat.resumeStream()
  }

  return (
    <>
      {chat.messages.map((message) => (
        <div key={message.id} className={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} parts={message.parts} decide={decide} />
          ))}
        </div>
      ))}
      {chat.error && (
        <p role="alert">
          {inWords(chat.error)} <button onClick={() => void chat.regenerate()}>Try again</button>
        </p>
      )}
      <form onSubmit={send}>
        <input value={input} onChange={(event) => setInput(event.target.value)} aria-label="Message" autoFocus />
        {isBusy ? (
          <button type="button" onClick={() => void stop()} disabled={!isStarted}>
            Stop
          </button>
        ) : (
          <button disabled={input.trim() === ''}>Send</button>
        )}
      </form>
    </>
  )
}

/** The state of a tool call in plain words. */
function callInWords({ toolName, state, errorText }) {
  if (state === 'output-error') return `${toolName} failed: ${errorText}`
  return state === 'output-available' ? `Called ${toolName}.` : `Calling ${toolName} …`
}

function Part({ part, parts, decide }) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'dynamic-tool') return <p className="call">{callInWords(part)}</p>
  if (part.type !== 'data-approval') return null
  const { tool, site, input, toolCallId } = part.data
  const call = parts.find((other) => other.toolCallId === toolCallId)
  if (call?.state !== 'input-available') return null
  // A tool may ask several times during one call. What came before is decided.
  const asked = parts.filter(({ type, data }) => type === 'data-approval' && data.toolCallId === toolCallId)
  if (asked.at(-1) !== part) return null
  if (part.data.form) return <Question key={part.data.approvalId} asked={part.data} decide={decide} />
  return (
    <div className="approval">
      <p>{`May ${tool} be called at ${site}?`}</p>
      <pre>{JSON.stringify(input, null, 2)}</pre>
      <button onClick={() => decide(part.data, 'approve')}>Approve</button>{' '}
      <button onClick={() => decide(part.data, 'refuse')}>Refuse</button>
    </div>
  )
}

/** What a tool asks in the middle of its call. Every text is the site's. */
function Question({ asked, decide }) {
  const { site, form } = asked
  const [problem, setProblem] = useState()

  function send(event) {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const valueOf = ({ name, kind }) => (kind === 'choices' ? given.getAll(name) : (given.get(name) ?? ''))
    const input = Object.fromEntries(form.fields.map((field) => [field.name, valueOf(field)]))
    decide(asked, 'approve', input).catch((error) => setProblem(error.message))
  }
  return (
    <form className="approval" onSubmit={send}>
      <p>{`${site} asks: ${form.message}`}</p>
      {form.fields.map((field) => (
        <label key={field.name}>
          {field.title ?? field.name} <Field field={field} /> {field.description}
        </label>
      ))}
      <p>The site gets what you enter. Do not enter passwords or other secrets.</p>
      {problem && <p role="alert">{problem}</p>}
      <button>Send the answer</button>{' '}
      <button type="button" onClick={() => decide(asked, 'refuse')}>
        Refuse
      </button>
    </form>
  )
}

const inputTypes = { email: 'email', uri: 'url', date: 'date', number: 'number', integer: 'number' }
const yesOrNo = [
  { value: 'true', title: 'yes' },
  { value: 'false', title: 'no' },
]

/** The platform checks the values, and reads numbers and the like from texts. */
function Field({ field: { name, kind, isRequired, choices, preset } }) {
  const isList = kind === 'choices'
  const first = isList ? (preset ?? []) : String(preset ?? '')
  const options = kind === 'boolean' ? yesOrNo : choices
  if (options.length === 0) {
    const type = inputTypes[kind] ?? 'text'
    return <input name={name} type={type} required={isRequired} defaultValue={first} step="any" />
  }
  return (
    <select name={name} multiple={isList} required={isRequired && !isList} defaultValue={first}>
      {!isList && <option value="">{isRequired ? 'Choose …' : 'leave out'}</option>}
      {options.map(({ value, title }) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  )
}

const root = createRoot(document.querySelector('main'))
try {
  root.render(<Chat {...await findSession()} />)
} catch (error) {
  root.render(<p role="alert">{inWords(error)}</p>)
}
