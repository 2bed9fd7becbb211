/** The page's style: light, dark, printed, and on a narrow screen. */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f9;--text:#1b1f24;--quiet:#57606a;--line:#d0d7de;--stay:#7d8894;--held:#9a5b00;--held-soft:#f6d9a8;--ending:#0b62c4;--wait:#7a3fb0;--wait-soft:#e3d3f3;--good:#14703a;--bad:#b4232a;--pass:#6e7781;--focus:#0b62c4}
@media (prefers-color-scheme:dark){:root{--ground:#0e1116;--raised:#171b22;--text:#e6edf3;--quiet:#a0abb7;--line:#3a424d;--stay:#6b7683;--held:#f0b35a;--held-soft:#5c4013;--ending:#5aa9ff;--wait:#c79bf2;--wait-soft:#43305a;--good:#5fcf8a;--bad:#ff8b85;--pass:#8b96a3;--focus:#8ec5ff}}
@media print{:root{color-scheme:light;--ground:#fff;--raised:#fff;--text:#000;--quiet:#444;--line:#999;--stay:#7d8894;--held:#9a5b00;--held-soft:#f6d9a8;--ending:#0b62c4;--wait:#7a3fb0;--wait-soft:#e3d3f3;--good:#14703a;--bad:#b4232a;--pass:#6e7781}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:90rem;padding:1rem 1.25rem 3rem;background:var(--ground);color:var(--text);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.35rem;margin:.2rem 0}
header p,.facts{color:var(--quiet);margin:.2rem 0 .8rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
#filters{display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:center;margin:.8rem 0}
input,select,button{font:inherit;color:inherit;background:var(--raised);border:1px solid var(--pass);border-radius:6px;padding:.25rem .5rem}
input{width:min(20rem,60vw)}
::placeholder{color:var(--quiet);opacity:1}
output{color:var(--quiet)}
:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none;margin:0 0 1rem;padding:0;color:var(--quiet);font-size:.85rem}
.legend li{display:flex;align-items:center;gap:.4rem}
.key{width:26px;height:12px}.key.point{width:12px}.key rect{y:1px;height:10px}
.drain{border:1px solid var(--line);border-radius:8px;margin:.25rem 0;background:var(--raised)}
.overview{display:grid;margin:.2rem 0;padding:0 .8rem;color:var(--quiet);font-size:.85rem;grid-template-columns:1rem 6rem minmax(9rem,14rem) minmax(8rem,1fr) minmax(14rem,1.2fr);column-gap:.8rem}
.overview>span{display:flex;gap:.5rem;justify-content:space-between;grid-column:4}
summary{display:grid;grid-template-columns:1rem 6rem minmax(9rem,14rem) minmax(8rem,1fr) minmax(14rem,1.2fr);gap:.8rem;align-items:center;padding:.3rem .8rem;cursor:pointer;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"▸";color:var(--quiet)}
[open]>summary::before{content:"▾"}
.badge{font-size:.8rem;font-weight:600;text-align:center;border:1px solid;border-radius:999px;padding:0 .5rem;color:var(--quiet)}
.badge.done{color:var(--good)}.badge.careful{color:var(--held)}.badge.not-done{color:var(--bad)}.badge.under-way{color:var(--ending)}
.name{font-weight:600;overflow-wrap:anywhere}
.words{color:var(--quiet);font-size:.87rem;overflow-wrap:anywhere}
.facts{padding:0 .9rem;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;table-layout:fixed;margin-bottom:.6rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
th,td{text-align:left;font-weight:400;vertical-align:middle;padding:.2rem .9rem;overflow-wrap:anywhere}
thead th{color:var(--quiet);font-size:.85rem;border-bottom:1px solid var(--line);vertical-align:bottom}
thead th:nth-child(1){width:24%}thead th:nth-child(3){width:30%}
.group th{color:var(--quiet);font-size:.8rem;font-weight:600;padding-top:.6rem}
.row th{font-size:.9rem}
.note{color:var(--quiet);font-size:.85rem}
.scale{display:flex;justify-content:space-between;gap:.3rem}
.bar{display:block;width:100%;height:18px;overflow:visible;border-radius:3px}
.drain .bar{background:linear-gradient(var(--line),var(--line)) center/100% 1px no-repeat}
.span{height:10px;y:4px}
.on-the-node{fill:var(--stay);height:4px;y:7px}
.held{fill:url(#hatch)}.ending{fill:var(--ending)}.phase{fill:var(--good)}.awaited{fill:url(#dots)}.pass{fill:var(--pass);stroke:var(--raised);height:6px;y:6px}
.key .on-the-node{height:4px;y:4px}.key .pass{height:6px;y:3px}
.hatch-ground{fill:var(--held-soft)}.hatch-line{fill:var(--held)}.dots-ground{fill:var(--wait-soft)}.dots-dot{fill:var(--wait)}
.mark{stroke:var(--raised);stroke-width:1}
.mark.done,.mark.elsewhere{fill:var(--good)}.mark.heartbeat{fill:var(--quiet);stroke:none}.mark.fault,.mark.deadline{fill:var(--bad)}.key .mark{stroke:none}
line.deadline{stroke:var(--bad);stroke-width:2}
#tip{position:absolute;z-index:2;max-width:min(34rem,90vw);padding:.5rem .7rem;border-radius:6px;background:var(--text);color:var(--ground);font-size:.85rem;overflow-wrap:anywhere;pointer-events:none}
#tip[hidden],.drain[hidden],[hidden]{display:none}
#tip p{margin:.1rem 0}
@media (max-width:760px){
.overview{display:none}
summary{grid-template-columns:1rem auto 1fr}summary .bar,summary .words{grid-column:2/-1}
table,tbody,tr,th,td{display:block}thead{display:none}thead th{width:auto}
.row{padding:.3rem 0}th,td{padding:.1rem .9rem}}
@media print{
.overview{grid-template-columns:5rem 11rem 1fr 1.2fr}.overview>span{grid-column:3}
body{max-width:none;padding:0;font-size:11px}#filters,#tip,summary::before{display:none}
summary{grid-template-columns:5rem 11rem 1fr 1.2fr}
.drain{break-inside:auto}tr,summary{break-inside:avoid}
.drain::details-content{content-visibility:visible;display:block;height:auto;block-size:auto}
.span,.mark,.badge{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;
