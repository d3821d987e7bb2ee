// How many more nodes fit: one row a basis. Solid = the nodes in place, outline = one more, dashed line = usable × (1 − margin).
import { choices } from '../core/address.js';
import { escape, icon, kw, limit_kw, num } from '../core/format.js';

function row(basis, room, scale) {
  const at = (w) => Math.min(100, (w / scale) * 100);
  const name = basis.main ? `<b>${escape(basis.label)}</b>` : escape(basis.label);
  const lab = `<div class="lab">${name}<small class="mute">${escape(basis.note)}</small></div>`;
  if (basis.now_w === null) return `${lab}<div class="mute">${escape(basis.absent)}</div><div></div>`;
  const [limit, usable] = [`<b style="left:${at(room.limit_w)}%"></b>`, `<b class="max" style="left:${at(room.usable_w)}%"></b>`];
  const more = basis.each_w === null ? '' : `<i class="add ${basis.additional > 0 ? '' : 'bad'}" style="left:${at(basis.now_w)}%;width:${Math.max(0, at(basis.now_w + basis.each_w) - at(basis.now_w))}%"></i>`;
  const sign = basis.additional > 0 ? icon('ok', 'ok') : icon('crit', 'crit');
  const fit = basis.additional === null ? '' : `${sign}<span>${basis.additional > 0 ? `<b>${num(basis.additional)}</b> more` : 'none'}</span>`;
  return `${lab}<div><span class="track"><i class="${basis.main ? '' : 'pale'}" style="width:${at(basis.now_w)}%"></i>${more}${limit}${usable}</span></div>
    <div class="fit" title="${kw(basis.now_w, 1)} kW now">${fit}</div>`;
}

function axis(room, scale) {
  const at = (w) => (w / scale) * 100;
  const apart = at(room.usable_w) - at(room.limit_w) > 22;
  const limit = room.limit_w < room.usable_w ? `<span style="left:${at(room.limit_w)}%;${apart ? '' : 'transform:translateX(-100%)'}">${kw(room.limit_w, 1)} limit</span>` : '';
  return `<span></span><div class="axis"><span class="zero">0</span>${limit}<span style="left:${at(room.usable_w)}%">${limit_kw(room.usable_w)}</span></div><div class="axis"><span class="zero">fits</span></div>`;
}

const level = (l) => `<tr><td class="nb">${escape(l.label)}</td><td class="soft">${escape(l.text)}</td><td class="num">${l.additional === null ? '' : l.additional > 0 ? `${icon('ok', 'ok')} ${num(l.additional)} more` : `${icon('crit', 'crit')} none`}</td></tr>`;

export function headroom(element, room, run) {
  const panel = element.closest('wl-panel');
  if (room.empty) { panel.empty(room.empty); return; }
  panel.ready({ heading: room.title, age: room.window });
  const scale = room.usable_w * 1.07;
  element.innerHTML = `<div class="answer ${room.answer.fits ? 'yes' : 'no'}"><b>${escape(room.answer.text)}</b><span>${escape(room.answer.basis)}</span>${room.answer.binding ? `<span>${escape(room.answer.binding)}</span>` : ''}</div>
    <div class="margin row"><span class="soft">Margin kept</span><div class="seg" id="margin" role="group" aria-label="Margin kept"></div></div>
    <div class="basis">${room.bases.map((b) => row(b, room, scale)).join('')}${axis(room, scale)}</div>
    <p class="note">${escape(room.note)}</p>
    <table class="levels"><tbody>${room.levels.map(level).join('')}</tbody></table>`;
  const options = Object.fromEntries(room.margins.map((m) => [m.value, m.label]));
  choices(element.querySelector('#margin'), 'margin', options, '', run);
}
