// Adds a button to each code block, which copies its text.

/** @param {HTMLElement} block */
function addCopyButton(block) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(block, button))
  block.append(button)
}

/** Says whether it has worked, for two seconds. The clipboard is there only for pages by https or on this machine. */
async function copy(block, button) {
  const text = block.querySelector('code')?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not copied'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

for (const block of document.querySelectorAll('.code')) addCopyButton(block)
