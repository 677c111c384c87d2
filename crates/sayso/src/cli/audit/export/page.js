'use strict';
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId('calls');
  const calls = Array.from(table.tBodies);
  const words = new Map();
  table.classList.add('live');
  document.querySelector('.controls').hidden = false;

  const toggle = (call) => {
    const more = call.querySelector('.more');
    more.hidden = !more.hidden;
    const button = call.querySelector('.open');
    button.setAttribute('aria-expanded', String(!more.hidden));
    button.textContent = more.hidden ? '▸' : '▾';
  };
  for (const call of calls) {
    call.querySelector('.more').hidden = true;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'open';
    button.textContent = '▸';
    button.setAttribute('aria-expanded', 'false');
    button.setAttribute('aria-label', 'details of entry ' + call.dataset.number);
    call.querySelector('td').prepend(button);
  }
  table.addEventListener('click', (event) => {
    const row = event.target.closest('.call');
    // Selecting text is no click.
    if (row && String(getSelection()) === '') toggle(row.parentElement);
  });

  const fields = ['outcome', 'tool', 'agent'];
  const show = () => {
    const search = byId('search').value.trim().toLowerCase();
    let count = 0;
    for (const call of calls) {
      if (search && !words.has(call)) words.set(call, call.textContent.toLowerCase());
      const fits = fields.every((field) => !byId(field).value || call.dataset[field] === byId(field).value)
        && (!search || words.get(call).includes(search));
      call.hidden = !fits;
      if (fits) count += 1;
    }
    byId('count').textContent = count === calls.length ? count + ' calls' : count + ' of ' + calls.length + ' calls';
    byId('none').hidden = count > 0;
  };
  byId('search').addEventListener('input', show);
  for (const field of fields) byId(field).addEventListener('change', show);

  const risks = ['low', 'medium', 'high', 'dangerous', 'catastrophic'];
  const key = (call, name) => {
    if (name === 'number') return Number(call.dataset.number);
    if (name === 'risk') return risks.indexOf(call.dataset.risk);
    if (name === 'what') return call.querySelector('.what').textContent;
    return call.dataset[name];
  };
  const heads = Array.from(table.tHead.rows[0].cells);
  const sort = (head) => {
    const descending = head.getAttribute('aria-sort') === 'ascending';
    for (const other of heads) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const name = head.dataset.key;
    const sorted = calls.map((call) => [key(call, name), call]);
    sorted.sort(([one], [other]) => (typeof one === 'number' ? one - other : one.localeCompare(other)) * (descending ? -1 : 1));
    table.append(...sorted.map(([, call]) => call));
  };
  for (const head of heads) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener('click', () => sort(head));
  }
  show();
})();
