package main

import (
	"slices"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// change is a change of one expression of a policy.
type change struct {
	// Kind is condition, variable or validation.
	Kind string `json:"kind"`
	// Place is the name of a variable or a condition, or the message of a validation.
	Place   string `json:"place"`
	Was     string `json:"was"`
	Becomes string `json:"becomes"`
	whole   string
	index   int
	of      func(policy) policy
}

// limits are the variables that a deployment sets.
var limits = []string{"ownTaint", "outOfService", "account", "nodeRoles", "makeRoom", "conditions", "force"}

func changesOf(it policy) []change {
	all := []change{}
	add := func(kind, place string, index int, expression string, set func(*policy, string)) {
		for _, one := range changed(expression) {
			one.Kind, one.Place, one.index = kind, place, index
			one.of = func(it policy) policy {
				copied := *it.DeepCopy()
				set(&copied, one.whole)
				return copied
			}
			all = append(all, one)
		}
	}
	for index, one := range it.Spec.MatchConditions {
		add("condition", one.Name, index, one.Expression, func(it *policy, text string) { it.Spec.MatchConditions[index].Expression = text })
	}
	for index, one := range it.Spec.Variables {
		if !slices.Contains(limits, one.Name) {
			add("variable", one.Name, index, one.Expression, func(it *policy, text string) { it.Spec.Variables[index].Expression = text })
		}
	}
	for index, one := range it.Spec.Validations {
		add("validation", one.Message, index, one.Expression, func(it *policy, text string) { it.Spec.Validations[index].Expression = text })
	}
	return all
}

// changed gives each change of an expression. Its macros are not expanded, so that what is in them is changed too.
func changed(expression string) []change {
	reader, err := parser.NewParser(parser.EnableOptionalSyntax(true))
	must(err)
	tree, issues := reader.Parse(common.NewTextSource(expression))
	if len(issues.GetErrors()) > 0 {
		panic(issues.ToDisplayString())
	}
	all := []change{}
	root := tree.Expr()
	var visit func(ast.Expr)
	visit = func(it ast.Expr) {
		was := factory.CopyExpr(it)
		note := func(becomes ast.Expr, from, to string) {
			it.SetKindCase(becomes)
			all = append(all, change{Was: from, Becomes: to, whole: textOf(root)})
			it.SetKindCase(was)
		}
		if operator := logical(it); operator != "" {
			for index, one := range operands(was, operator) {
				note(without(index, operands(was, operator), operator), textOf(one), "nothing")
			}
			for _, one := range operands(it, operator) {
				visit(one)
			}
			return
		}
		for _, becomes := range changesAt(was) {
			note(becomes, textOf(was), textOf(becomes))
		}
		for _, part := range partsOf(it) {
			visit(part)
		}
	}
	visit(root)
	return all
}

// logical is the operator of a conjunction or disjunction.
func logical(it ast.Expr) string {
	if it.Kind() == ast.CallKind {
		if name := it.AsCall().FunctionName(); name == operators.LogicalAnd || name == operators.LogicalOr {
			return name
		}
	}
	return ""
}

// operands are those of a whole chain; the parser makes a balanced tree of it.
func operands(it ast.Expr, operator string) []ast.Expr {
	if logical(it) != operator {
		return []ast.Expr{it}
	}
	args := it.AsCall().Args()
	return append(operands(args[0], operator), operands(args[1], operator)...)
}

func without(index int, all []ast.Expr, operator string) ast.Expr {
	rest := slices.Delete(slices.Clone(all), index, index+1)
	chain := rest[0]
	for _, one := range rest[1:] {
		chain = factory.NewCall(0, operator, chain, one)
	}
	return chain
}

var factory = ast.NewExprFactory()

func textOf(it ast.Expr) string {
	text, err := parser.Unparse(it, ast.NewSourceInfo(nil), parser.WrapOnColumn(1<<30))
	must(err)
	return text
}

// others are the operators and functions that stand for each other.
var others = map[string]string{
	operators.Equals: operators.NotEquals, operators.NotEquals: operators.Equals,
	operators.Less: operators.LessEquals, operators.LessEquals: operators.Less,
	operators.Greater: operators.GreaterEquals, operators.GreaterEquals: operators.Greater,
	"all": "exists", "exists": "all",
}

// changesAt gives the changes of an expression's outermost part: a branch alone, a comparison that is another one, no negation or one more, a member
// of a list less, a number one higher.
func changesAt(it ast.Expr) []ast.Expr {
	switch it.Kind() {
	case ast.CallKind:
		return changesOfCall(it)
	case ast.ListKind:
		members := it.AsList().Elements()
		if len(members) < 2 || len(it.AsList().OptionalIndices()) > 0 {
			return nil
		}
		all := []ast.Expr{}
		for index := range members {
			all = append(all, factory.NewList(0, slices.Delete(slices.Clone(members), index, index+1), nil))
		}
		return all
	case ast.LiteralKind:
		switch value := it.AsLiteral().(type) {
		case types.Int:
			return []ast.Expr{factory.NewLiteral(0, value+1)}
		case types.Bool:
			return []ast.Expr{factory.NewLiteral(0, !value)}
		}
	}
	return nil
}

func changesOfCall(it ast.Expr) []ast.Expr {
	call := it.AsCall()
	name, args := call.FunctionName(), call.Args()
	switch name {
	case operators.Conditional:
		return []ast.Expr{args[1], args[2]}
	case operators.LogicalNot:
		return []ast.Expr{args[0]}
	case operators.In, "has", "matches", "startsWith", "endsWith":
		return []ast.Expr{factory.NewCall(0, operators.LogicalNot, it)}
	}
	other, is := others[name]
	if !is {
		return nil
	}
	if call.IsMemberFunction() {
		return []ast.Expr{factory.NewMemberCall(0, other, call.Target(), args...)}
	}
	return []ast.Expr{factory.NewCall(0, other, args...)}
}

func partsOf(it ast.Expr) []ast.Expr {
	switch it.Kind() {
	case ast.CallKind:
		call := it.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case ast.ListKind:
		return it.AsList().Elements()
	case ast.SelectKind:
		return []ast.Expr{it.AsSelect().Operand()}
	}
	return nil
}
